// The cursor's place as the rules see it: what is open there, what stands around it, and as what the document is
// completed. After a block's opener that is the document as it would be if Enter had been pressed.
import type { Settings } from '../protocol.ts';
import { depthOf, indentationOf, unitOf } from './indentation.ts';
import { type Language, languageOf } from './languages.ts';
import { closerFor, isBracket, type Open, scan, type Within, within } from './scanner.ts';
import { type CursorDocument, type Surroundings, surroundings, windowStart } from './text-window.ts';

const scannedChars = 4000;

/** line: to the end of the line. statement: of the statement begun. block: until the text leaves the block. */
export type Extent = 'line' | 'statement' | 'block';

export interface Place {
  /** What the engine is asked to complete. */
  document: CursorDocument;
  language: Language;
  around: Surroundings;
  open: readonly Open[];
  /** Where the cursor's line begins, counted as the brackets' places are. */
  lineStart: number;
  /** Those of the open ones that nothing below closes, innermost first. */
  unclosed: readonly Open[];
  /** Whether more of the document stands above than was looked at. */
  isWindowCut: boolean;
  within: Within;
  extent: Extent;
  /** Depth of the block's opener, or of the cursor's line. */
  depth: number;
  unit: string;
  /** Line break and indentation that are shown before the text, as if Enter had been pressed. */
  lead: string;
  /** What ends the block that is written, on lines of its own below the text. */
  tail: string;
  /** Length of what stands right of the cursor in the document and is part of the tail. */
  replaces: number;
}

export function placeAt(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
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
    unclosed: unclosedBelow(document, start, open, language),
    isWindowCut: start > 0,
    within: language.family === 'prose' ? 'comment' : within(open, language),
    extent: 'line',
    depth: depthOf(around.linePrefix),
    unit: unitOf(text, offset, language),
    lead: '',
    tail: '',
    replaces: 0,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const entered = asIfEntered(place);
  if (entered) return entered;
  const isOneLine = around.lineSuffix.trim() !== '' || language.family === 'data';
  if (isOneLine) return place;
  return firstInBlock(place) ?? { ...place, extent: 'statement' };
}

export function opensBlock(line: string, { opener }: Language): boolean {
  return opener?.test(line.trim()) ?? false;
}

function asIfEntered(place: Place): Place | null {
  const { language, around, document } = place;
  const { linePrefix, lineSuffix, linesBelow } = around;
  const isInBrackets = language.family === 'indentation' && place.open.length > 0;
  if (!opensBlock(linePrefix, language) || isInBrackets || /\s$/.test(linePrefix)) return null;
  const closer = closerOf(linePrefix, place);
  const rest = lineSuffix.trim();
  const isEmptyBody = closer !== '' && rest.startsWith(closer) && /^[)\]};,\s]*$/.test(rest.slice(closer.length));
  const depth = depthOf(linePrefix);
  if (rest === '' ? depthOf(linesBelow[0] ?? '') > depth : !isEmptyBody) return null;
  const base = indentationOf(linePrefix);
  const lead = `\n${base}${place.unit}`;
  const before = document.text.slice(0, document.offset) + lead;
  const after = document.text.slice(document.offset);
  const below = rest === '' ? after : `\n${base}${after.trimStart()}`;
  return {
    ...place,
    document: { ...document, text: before + below, offset: before.length },
    around: {
      ...around,
      linePrefix: lead.slice(1),
      lineSuffix: '',
      linesAbove: [linePrefix, ...around.linesAbove].slice(0, 3),
    },
    extent: language.family === 'data' ? 'line' : 'block',
    depth,
    lead,
    tail: rest === '' ? missingCloser(linePrefix, closer, place) : `\n${base}${rest}`,
    replaces: rest === '' ? 0 : lineSuffix.length,
  };
}

/** A blank line below a block's opener, with nothing else in the block. */
function firstInBlock(place: Place): Place | null {
  const { around, language } = place;
  const [above = ''] = around.linesAbove;
  const [below = ''] = around.linesBelow;
  const isBlank = around.linePrefix.trim() === '' && opensBlock(above, language);
  const isInside = depthOf(around.linePrefix) > depthOf(above) || around.linePrefix === '';
  if (!isBlank || !isInside || depthOf(below) > depthOf(above)) return null;
  return {
    ...place,
    extent: 'block',
    depth: depthOf(above),
    tail: missingCloser(above, closerOf(above, place), place),
  };
}

/** What closes the block that a line opens, if that is written at all. */
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

/** A closer that is less indented than the line of a bracket belongs to one further out. */
function unclosedBelow(
  { text, offset }: CursorDocument,
  start: number,
  open: readonly Open[],
  language: Language,
): Open[] {
  const after = text.slice(offset, offset + scannedChars);
  const left = open.filter(isBracket).reverse();
  const unclosed: Open[] = [];
  for (const { at, closes } of scan(after, language, open).outer) {
    if (!closes || !isBracket(closes)) continue;
    const newline = after.lastIndexOf('\n', at);
    const isAlone = newline !== -1 && after.slice(newline, at).trim() === '';
    const depth = depthOf(after.slice(newline + 1, at));
    const closed = left.findIndex((each) => {
      const line = text.slice(text.lastIndexOf('\n', start + each.at - 1) + 1, start + each.at);
      return closerFor(each) === after[at] && !(isAlone && depthOf(line) > depth);
    });
    // What is further in is closed by nothing.
    if (closed !== -1) unclosed.push(...left.splice(0, closed + 1).slice(0, -1));
  }
  // Below the window there may be anything: what it leaves open counts as closed if the document goes on.
  return offset + scannedChars < text.length ? unclosed : [...unclosed, ...left];
}
