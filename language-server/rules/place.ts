// The cursor's place as the rules see it: which brackets are open, the lines around it, how far a completion may go, and
// the document that is completed. After a block's opener, that is the document as it would be after pressing Enter: the
// text becomes the block's body, followed by the closing line if that is missing.
import { type CursorDocument, type Surroundings, surroundings } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { type BracketsBelow, bracketsBelow } from './brackets-below.ts';
import { codeAt } from './embedded.ts';
import { depthOf, indentationOf, unitOf } from './indentation.ts';
import type { Language } from './language.ts';
import { isComment, isInlineElement, languageOf, opensBlock } from './languages.ts';
import { closerFor, closersOnly, isBracket, type Open, scan, type Within, within } from './scanner.ts';
import { isDocstring, scannedChars, scanStart } from './spanning.ts';

/** How far below an element its end is looked for. */
const searchedChars = 60_000;

/** How far a completion may go: to the end of the line, of the statement or of the block. */
export type Extent = 'line' | 'statement' | 'block';

export interface Place extends BracketsBelow {
  /** The document that the engine completes. */
  document: CursorDocument;
  language: Language;
  around: Surroundings;
  /** The brackets, quotes and comments that are open at the cursor, outermost first. */
  open: readonly Open[];
  /** Where the cursor's line begins, in the same coordinates as Open.at. */
  lineStart: number;
  /** Whether the document begins further up than was scanned. */
  isWindowCut: boolean;
  within: Within;
  extent: Extent;
  /** The indentation of the block's opener, or of the cursor's line. */
  depth: number;
  /** One level of indentation. */
  unit: string;
  /** A line break and indentation to insert before the text, as if Enter had been pressed; often empty. */
  lineBreak: string;
  /** The lines that close the block, to insert after the text; often empty. */
  tail: string;
  /** The number of characters after the cursor that the tail repeats and therefore replaces. */
  replaces: number;
}

/**
 * In the first column of a line of code, a completion adds lines above that line. The suggestion then replaces the line
 * and repeats it at its end, because editors do not show a suggestion that ends with a line break.
 */
export function placeAt(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { linePrefix, lineSuffix } = surroundings(document.text, document.offset);
  if (linePrefix !== '' || !/\w/.test(lineSuffix)) return placeIn(document, multiline);
  const text = document.text.with(document.offset, document.offset, '\n');
  const place = placeIn({ ...document, text }, multiline);
  return { ...place, tail: `${place.tail}\n${lineSuffix}`, replaces: lineSuffix.length };
}

function placeIn(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { text, offset } = document;
  const code = codeAt(document);
  const language = languageOf(code.languageId);
  const around = surroundings(text, offset);
  const start = Math.max(code.start, scanStart(text, offset, language));
  const end = Math.min(code.end, offset + scannedChars);
  const before = text.slice(start, offset);
  const { open } = scan(before, language);
  const place: Place = {
    document,
    language,
    around,
    open,
    lineStart: offset - start - around.linePrefix.length,
    ...bracketsBelow({
      before,
      after: text.slice(offset, end),
      around,
      open,
      language,
      isAllAbove: start === code.start,
      isAllBelow: end === code.end,
    }),
    isWindowCut: start > code.start,
    within: language.family === 'prose' || isDocstring(before, open, language) ? 'comment' : within(open, language),
    extent: 'line',
    depth: depthOf(around.linePrefix),
    unit: unitOf(text, offset, language),
    lineBreak: '',
    tail: '',
    replaces: 0,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const entered = asIfEntered(place);
  if (entered) return entered;
  if (language.family === 'data') return place;
  if (around.lineSuffix.trim() !== '') return { ...place, extent: endsBrackets(place) ? 'statement' : 'line' };
  const anywhere: Partial<Place> =
    multiline === 'always' ? { extent: 'block', depth: place.depth - 1 } : { extent: 'statement' };
  return firstInBlock(place) ?? { ...place, ...anywhere };
}

/** Whether the line below ends a block that no line above has begun, since it is as deep as the cursor's. */
export function isEndedBelow({ around, language }: Place): boolean {
  const [above = '', below = ''] = [around.linesAbove[0], around.linesBelow[0]];
  const depth = depthOf(around.linePrefix);
  if (language.family !== 'ends' || around.linePrefix.trim() !== '' || above === '') return false;
  const isBegun = depthOf(above) > depth || (depthOf(above) === depth && opensBlock(above, language));
  return !isBegun && /^\s*end\b/.test(below) && depthOf(below) === depth;
}

/** What follows the cursor, as far as it is looked through. */
export function following({ document: { text, offset } }: Place): string {
  return text.slice(offset, offset + scannedChars);
}

/** The lines below the cursor's that are not blank, as far as they are looked through. */
export function filledBelow(place: Place): string[] {
  return following(place)
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '');
}

/** Whether the cursor is in a block that ends in a word, perhaps that of a function among the arguments of a call. */
export function isInBody({ document: { text, offset }, around, language }: Place): boolean {
  if (language.family !== 'ends') return false;
  const depth = depthOf(around.linePrefix);
  const above = text.slice(Math.max(0, offset - scannedChars), offset).split('\n');
  const head = above.slice(0, -1).findLast((line) => line.trim() !== '' && depthOf(line) < depth) ?? '';
  return opensBlock(head, language) && !/[({[]$/.test(head.trimEnd());
}

/** Whether the line ends right of the cursor with the bracket that closes the cursor's. */
function endsBrackets({ open, around }: Place): boolean {
  const bracket = open.at(-1);
  return (
    bracket !== undefined &&
    closersOnly.test(around.lineSuffix) &&
    around.lineSuffix.trim().startsWith(closerFor(bracket))
  );
}

const finishedHead = /\b(?:begin|do|else|ensure|finally|then|try)$/;

/** For a cursor right after a block's opener: the place as it would be after pressing Enter; null elsewhere. */
function asIfEntered(place: Place): Place | null {
  const { language, around, document } = place;
  const { linePrefix, lineSuffix, linesBelow } = around;
  const isInBrackets = language.family === 'indentation' && place.open.length > 0;
  if (!opensBlock(argumentOf(place), language) || isInBrackets || /\s$/.test(linePrefix)) return null;
  const isValue =
    language.family !== 'data' && (language.literal.test(linePrefix) || place.open.at(-1)?.token === '${');
  if (isValue || isInlineElement(linePrefix, [...around.linesAbove, ...linesBelow], language)) return null;
  const closer = closerOf(linePrefix, place);
  const rest = lineSuffix.trim();
  // The function among the arguments of a call lacks its end before the bracket that the editor has closed.
  const end = closer === 'end' && /^\)[)\]}]*[;,]?$/.test(rest) ? closer : '';
  const isEmptyBody = end !== '' || (closer !== '' && rest.startsWith(closer));
  const opener = place.head + linePrefix.trimStart();
  const depth = depthOf(opener);
  const isFilled = depthOf(linesBelow[0] ?? '') > depth || hasContent(opener, place);
  if (rest === '' ? isFilled : !isEmptyBody) return null;
  const tail = rest === '' ? missingCloser(opener, closer, place) : `\n${place.head}${end}${rest}`;
  // Where a head has no mark at its end, its last word may be one that is still being typed.
  if (closer === 'end' && tail !== '' && /[\p{L}\p{N}_]$/u.test(linePrefix) && !finishedHead.test(linePrefix))
    return null;
  const lineBreak = `\n${place.head}${place.unit}`;
  const { text, offset } = document;
  // The bracket that the editor has closed moves to its own line.
  const blank = rest === '' ? 0 : (/^\s*/.exec(text.slice(offset, offset + lineSuffix.length))?.[0].length ?? 0);
  const entered = rest === '' ? lineBreak : `${lineBreak}\n${place.head}${end}`;
  return {
    ...place,
    document: { ...document, text: text.with(offset, offset + blank, entered), offset: offset + lineBreak.length },
    around: {
      ...around,
      linePrefix: lineBreak.slice(1),
      lineSuffix: '',
      linesAbove: [linePrefix, ...around.linesAbove].slice(0, 3),
    },
    extent: language.family === 'data' ? 'line' : 'block',
    depth,
    lineBreak,
    tail,
    replaces: rest === '' ? 0 : lineSuffix.length,
  };
}

/**
 * The cursor's line, or what it has behind the last bracket that was opened before: an argument may be a function, but it is
 * no `if`.
 */
function argumentOf({ open, lineStart, around: { linePrefix } }: Place): string {
  const last = lineStart + linePrefix.length - 1;
  const opened = open.findLast(({ token, at }) => at >= lineStart && at < last && (token === '(' || token === '['));
  return linePrefix.slice(opened ? opened.at + 1 - lineStart : 0);
}

/** For a cursor on a blank line that is all there is in a block or in brackets; null elsewhere. */
function firstInBlock(place: Place): Place | null {
  const { around, language } = place;
  const [line = ''] = around.linesAbove;
  const [below = ''] = around.linesBelow;
  const bracket = place.open.at(-1);
  const isInBrackets = bracket !== undefined && isBracket(bracket) && line.endsWith(bracket.token);
  const above = isInBrackets ? place.opener + line.trimStart() : line;
  const isBlank = around.linePrefix.trim() === '' && (opensBlock(above, language) || isInBrackets);
  const isInside = depthOf(around.linePrefix) > depthOf(above) || around.linePrefix === '';
  if (!isBlank || !isInside || depthOf(below) > depthOf(above) || hasContent(above, place)) return null;
  return {
    ...place,
    extent: 'block',
    depth: depthOf(above),
    tail: missingCloser(above, closerOf(above, place), place),
  };
}

/** Whether the element that a line opens has content below that is no deeper, as a script often has. */
function hasContent(opener: string, { language, around, document: { text, offset } }: Place): boolean {
  const [, name] = /^<\/(.*)>$/.exec(language.terminatorOf(opener.trim()) ?? '') ?? [];
  if (name === undefined || around.linesBelow[0]?.trim().startsWith(`</${name}`)) return false;
  const next = new RegExp(`^${indentationOf(opener)}<(/?)${name.replaceAll('.', '\\.')}\\b`, 'm');
  return next.exec(text.slice(offset, offset + searchedChars))?.[1] === '/';
}

/** What closes the block that a line opens; '' if nothing does, as in Python. */
function closerOf(opener: string, { open, language, lineStart }: Place): string {
  const bracket = open.at(-1);
  const isOfLine = bracket?.token === '{' && bracket.at >= lineStart;
  const isBracketed = bracket && (isOfLine || opener.trimEnd().endsWith(bracket.token));
  return isBracketed ? closerFor(bracket) : (language.terminatorOf(opener.trim()) ?? '');
}

function missingCloser(opener: string, closer: string, place: Place): string {
  const { open, unclosed, around, language } = place;
  const bracket = open.at(-1);
  const below = around.linesBelow.find((line) => !isComment(line, language)) ?? '';
  const isBracketed = bracket !== undefined && closer === closerFor(bracket);
  const isBranch = (line: string) => language.branch?.test(line.trim()) ?? false;
  // What closes a branch, such as a when, may stand further out, and so may what closes a head of several lines.
  const isInner = isBranch(opener) || /^(?:then|do)$/.test(opener.trim());
  const isAsDeep = isInner ? depthOf(below) <= depthOf(opener) : depthOf(below) === depthOf(opener);
  const isBelow = isAsDeep && (below.trim().startsWith(closer) || isBranch(below));
  const isMissing = isBracketed ? unclosed.includes(bracket) : closer !== '' && !isBelow;
  const closers = isBracketed ? unclosedInLine(bracket, place).map(closerFor).join('') : closer;
  return isMissing ? `\n${indentationOf(opener)}${closers}` : '';
}

/** The open bracket and those of its line around it that nothing below closes either, innermost first. */
function unclosedInLine(bracket: Open, { unclosed, document, around, lineStart }: Place): Open[] {
  const start = document.offset - around.linePrefix.length - lineStart;
  const isInLine = ({ at }: Open) => !document.text.slice(start + at, start + bracket.at).includes('\n');
  return unclosed.filter((each) => each.at <= bracket.at && isInLine(each));
}
