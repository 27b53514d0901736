// The cursor's place as the rules see it: what is open there, what stands around it, and as what the document is
// completed. After a block's opener that is the document as it would be if Enter had been pressed.
import { spliced } from '../documents/long-text.ts';
import type { Settings } from '../protocol.ts';
import { asIfEntered, firstInBlock } from './empty-block.ts';
import { depthOf, unitOf } from './indentation.ts';
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
  /** Whether only whole lines may be shown. */
  isWholeLines: boolean;
}

/**
 * In the first column of a line of code, what is written becomes lines of its own, above that line. The suggestion takes
 * that line's place and ends with it: an editor shows nothing of a text that ends with a line break.
 */
export function placeAt(document: CursorDocument, multiline: Settings['completion.multiline']): Place {
  const { linePrefix, lineSuffix } = surroundings(document.text, document.offset);
  if (linePrefix !== '' || !/\w/.test(lineSuffix)) return placeIn(document, multiline);
  const text = spliced(document.text, document.offset, document.offset, '\n');
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
    unclosed: unclosedBelow(document, start, open, language),
    isWindowCut: start > 0,
    within: language.family === 'prose' ? 'comment' : within(open, language),
    extent: 'line',
    depth: depthOf(around.linePrefix),
    unit: unitOf(text, offset, language),
    lead: '',
    tail: '',
    replaces: 0,
    isWholeLines: false,
  };
  if (multiline === 'never' || place.within !== 'code') return place;
  const entered = asIfEntered(place);
  if (entered) return entered;
  const isOneLine = around.lineSuffix.trim() !== '' || language.family === 'data';
  if (isOneLine) return place;
  const anywhere: Partial<Place> =
    multiline === 'always' ? { extent: 'block', depth: place.depth - 1 } : { extent: 'statement' };
  return firstInBlock(place) ?? { ...place, ...anywhere };
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
      const before = text.slice(start, start + each.at);
      const line = before.slice(before.lastIndexOf('\n') + 1);
      return closerFor(each) === after[at] && !(isAlone && depthOf(line) > depth);
    });
    // What is further in is closed by nothing.
    if (closed !== -1) unclosed.push(...left.splice(0, closed + 1).slice(0, -1));
  }
  // Below the window there may be anything: what it leaves open counts as closed if the document goes on.
  return offset + scannedChars < text.length ? unclosed : [...unclosed, ...left];
}
