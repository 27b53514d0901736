// The cursor's place as the rules see it: which brackets are open, the lines around it, how far a completion may go, and
// the document that is completed. After a block's opener, that is the document as it would be after pressing Enter: the
// text becomes the block's body, followed by the closing line if that is missing.
import { type CursorDocument, type Surroundings, surroundings, windowStart } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { depthOf, indentationOf, unitOf } from './indentation.ts';
import { isInlineElement, type Language, languageOf, opensBlock } from './languages.ts';
import { closerFor, closersOnly, isBracket, type Open, scan, type Within, within } from './scanner.ts';

/** How far a completion may go: to the end of the line, of the brackets, of the statement or of the block. */
export type Extent = 'line' | 'brackets' | 'statement' | 'block';

export interface Place {
  /** The document that the engine completes. */
  document: CursorDocument;
  language: Language;
  around: Surroundings;
  /** The brackets, quotes and comments that are open at the cursor, outermost first. */
  open: readonly Open[];
  /** Where the cursor's line begins, in the same coordinates as Open.at. */
  lineStart: number;
  /** The open brackets that nothing below closes, innermost first. */
  unclosed: readonly Open[];
  /** The closing brackets below that close nothing, in order: the text may open them. */
  surplus: readonly string[];
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
  /** Whether only whole lines may be shown. */
  isWholeLines: boolean;
}

const scannedChars = 4000;

/**
 * In the first column of a line of code, a completion adds lines above that line. The suggestion then replaces the line
 * and repeats it at its end, because editors do not show a suggestion that ends with a line break.
 */
export function placeAt(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { linePrefix, lineSuffix } = surroundings(document.text, document.offset);
  if (linePrefix !== '' || !/\w/.test(lineSuffix)) return placeIn(document, multiline);
  const text = document.text.with(document.offset, document.offset, '\n');
  const place = placeIn({ ...document, text }, multiline);
  return { ...place, tail: `${place.tail}\n${lineSuffix}`, replaces: lineSuffix.length, isWholeLines: true };
}

function placeIn(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { text, offset } = document;
  const language = languageOf(document.languageId);
  const around = surroundings(text, offset);
  const start = windowStart(text, offset, scannedChars);
  const { open } = scan(text.slice(start, offset), language);
  const place: Place = {
    document,
    language,
    around,
    open,
    lineStart: offset - start - around.linePrefix.length,
    ...bracketsBelow(document, start, open, language),
    isWindowCut: start > 0,
    within: language.family === 'prose' ? 'comment' : within(open, language),
    extent: 'line',
    depth: depthOf(around.linePrefix),
    unit: unitOf(text, offset, language),
    lineBreak: '',
    tail: '',
    replaces: 0,
    isWholeLines: false,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const entered = asIfEntered(place);
  if (entered) return entered;
  if (language.family === 'data') return place;
  if (around.lineSuffix.trim() !== '') return { ...place, extent: endsBrackets(place) ? 'brackets' : 'line' };
  const anywhere: Partial<Place> =
    multiline === 'always' ? { extent: 'block', depth: place.depth - 1 } : { extent: 'statement' };
  return firstInBlock(place) ?? { ...place, ...anywhere };
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

/**
 * Which brackets nothing below closes, and which closing brackets below close nothing. A closing bracket that is indented
 * less than the line of an opening one belongs to a bracket further out.
 */
function bracketsBelow(
  { text, offset }: CursorDocument,
  start: number,
  open: readonly Open[],
  language: Language,
): Pick<Place, 'unclosed' | 'surplus'> {
  const before = text.slice(start, offset);
  const after = text.slice(offset, offset + scannedChars);
  const left = open
    .filter(isBracket)
    .reverse()
    .map((bracket) => ({
      bracket,
      depth: depthOf(before.slice(before.lastIndexOf('\n', bracket.at) + 1, bracket.at)),
    }));
  const { linePrefix, linesBelow } = surroundings(text, offset);
  const bodyDepth = depthOf(linesBelow[0] ?? '') > depthOf(linePrefix) ? depthOf(linePrefix) : null;
  const unclosed: Open[] = [];
  const surplus: string[] = [];
  for (const { at, closes } of scan(after, language, open).outer) {
    const newline = after.lastIndexOf('\n', at);
    const isAlone = newline !== -1 && after.slice(newline, at).trim() === '';
    const depth = depthOf(after.slice(newline + 1, at));
    // What it closes may stand above the window, unless it ends a body that stands below the cursor's line.
    if (!closes && (start === 0 || (isAlone && depth === bodyDepth))) surplus.push(after[at] ?? '');
    if (!closes || !isBracket(closes)) continue;
    const closed = left.findIndex((each) => closerFor(each.bracket) === after[at] && !(isAlone && each.depth > depth));
    // Brackets further in than the one closed are not closed at all.
    const inside = left.splice(0, closed + 1).slice(0, -1);
    unclosed.push(...inside.map(({ bracket }) => bracket));
  }
  // The rest of the document is not scanned: if there is more, the remaining brackets are assumed to be closed there.
  if (offset + scannedChars >= text.length) unclosed.push(...left.map(({ bracket }) => bracket));
  return { unclosed, surplus };
}

/** For a cursor right after a block's opener: the place as it would be after pressing Enter; null elsewhere. */
function asIfEntered(place: Place): Place | null {
  const { language, around, document } = place;
  const { linePrefix, lineSuffix, linesBelow } = around;
  const isInBrackets = language.family === 'indentation' && place.open.length > 0;
  if (!opensBlock(linePrefix, language) || isInBrackets || /\s$/.test(linePrefix)) return null;
  const isValue =
    language.family !== 'data' && (language.literal.test(linePrefix) || place.open.at(-1)?.token === '${');
  if (isValue || isInlineElement(linePrefix, [...around.linesAbove, ...linesBelow], language)) return null;
  const closer = closerOf(linePrefix, place);
  const rest = lineSuffix.trim();
  const isEmptyBody = closer !== '' && rest.startsWith(closer);
  const depth = depthOf(linePrefix);
  if (rest === '' ? depthOf(linesBelow[0] ?? '') > depth : !isEmptyBody) return null;
  const base = indentationOf(linePrefix);
  const lineBreak = `\n${base}${place.unit}`;
  const { text, offset } = document;
  // The bracket that the editor has closed moves to its own line.
  const blank = rest === '' ? 0 : (/^\s*/.exec(text.slice(offset, offset + lineSuffix.length))?.[0].length ?? 0);
  const entered = rest === '' ? lineBreak : `${lineBreak}\n${base}`;
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
    tail: rest === '' ? missingCloser(linePrefix, closer, place) : `\n${base}${rest}`,
    replaces: rest === '' ? 0 : lineSuffix.length,
  };
}

/** For a cursor on a blank line that is all there is in a block or in brackets; null elsewhere. */
function firstInBlock(place: Place): Place | null {
  const { around, language } = place;
  const [above = ''] = around.linesAbove;
  const [below = ''] = around.linesBelow;
  const bracket = place.open.at(-1);
  const isInBrackets = bracket !== undefined && isBracket(bracket) && above.endsWith(bracket.token);
  const isBlank = around.linePrefix.trim() === '' && (opensBlock(above, language) || isInBrackets);
  const isInside = depthOf(around.linePrefix) > depthOf(above) || around.linePrefix === '';
  if (!isBlank || !isInside || depthOf(below) > depthOf(above)) return null;
  return {
    ...place,
    extent: 'block',
    depth: depthOf(above),
    tail: missingCloser(above, closerOf(above, place), place),
  };
}

/** What closes the block that a line opens; '' if nothing does, as in Python. */
function closerOf(opener: string, { open, language, lineStart }: Place): string {
  const bracket = open.at(-1);
  const isOfLine = bracket?.token === '{' && bracket.at >= lineStart;
  const isBracketed = bracket && (isOfLine || opener.trimEnd().endsWith(bracket.token));
  return isBracketed ? closerFor(bracket) : (language.terminatorOf(opener.trim()) ?? '');
}

function missingCloser(opener: string, closer: string, { open, unclosed, around }: Place): string {
  const bracket = open.at(-1);
  const [below = ''] = around.linesBelow;
  const isBracketed = bracket !== undefined && closer === closerFor(bracket);
  const isBelow = depthOf(below) === depthOf(opener) && below.trim().startsWith(closer);
  const isMissing = isBracketed ? unclosed.includes(bracket) : closer !== '' && !isBelow;
  return isMissing ? `\n${indentationOf(opener)}${closer}` : '';
}
