// Finds out about the cursor's place in a document.
import { spliced } from '../documents/long-text.ts';
import { type CursorDocument, surroundings, windowStart } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import { asIfEntered, firstInBlock } from './empty-block.ts';
import { depthOf, unitOf } from './indentation.ts';
import { type Language, languageOf } from './languages.ts';
import type { Place } from './place.ts';
import { closersOnly } from './rest-of-line.ts';
import { closerFor, isBracket, type Open, scan, within } from './scanner.ts';

const scannedChars = 4000;

/**
 * In the first column of a line of code, a completion adds lines above that line. The suggestion then replaces the line
 * and repeats it at its end, because editors do not show a suggestion that ends with a line break.
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
