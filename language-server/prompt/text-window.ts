// Pure functions that cut windows out of a document. None reads beyond its limit, so a line of 5 MB costs no more than
// a page of text. Offsets are in UTF-16 units, as in LSP.
import type { LongText } from '../documents/long-text.ts';

/** A document and the offset of the cursor in it. */
export interface CursorDocument {
  uri: string;
  languageId: string;
  text: LongText;
  offset: number;
}

/** The offset, or the end of the surrogate pair that it would divide. */
function onCharacterBoundary(text: LongText, offset: number): number {
  const unit = text.charCodeAt(offset);
  const isLowSurrogate = unit >= 0xdc00 && unit <= 0xdfff;
  const before = text.charCodeAt(offset - 1);
  return isLowSurrogate && before >= 0xd800 && before <= 0xdbff ? offset + 1 : offset;
}

/** The start of a window that ends at `end`: the first start of a line within maxChars, if there is one. */
export function windowStart(text: LongText, end: number, maxChars: number): number {
  const earliest = end - maxChars;
  if (earliest <= 0) return 0;
  const newline = text.slice(earliest - 1, end).indexOf('\n');
  const start = earliest + newline;
  return newline === -1 || start === end ? onCharacterBoundary(text, earliest) : start;
}

/** The end of a window that begins at `start`: the last end of a line within maxChars, if there is one. */
export function windowEnd(text: LongText, start: number, maxChars: number): number {
  const latest = start + maxChars;
  if (latest >= text.length) return text.length;
  const newline = text.slice(start, latest).lastIndexOf('\n');
  return newline <= 0 ? onCharacterBoundary(text, latest) : start + newline;
}

/**
 * The start of the line that is `lines` lines above the offset's line, or the highest start of a line within `reach`
 * characters. If no line starts within `reach`: half the reach above the offset, so that the text between the two has
 * room to grow.
 */
export function lineStartAbove(text: LongText, offset: number, lines: number, reach: number): number {
  const lowest = Math.max(0, offset - reach);
  const window = text.slice(lowest, offset);
  let found = -1;
  let before = window.length;
  for (let i = 0; i <= lines; i++) {
    const newline = before > 0 ? window.lastIndexOf('\n', before - 1) : -1;
    if (newline === -1) {
      if (lowest === 0) found = 0;
      break;
    }
    found = newline + 1;
    before = newline;
  }
  return found === -1 ? onCharacterBoundary(text, offset - (reach >> 1)) : lowest + found;
}

/** The lines around the cursor, for the rules that suggestions must pass. Very long lines are cut. */
export interface Surroundings {
  linePrefix: string;
  lineSuffix: string;
  /** Up to three lines above that are not blank, the nearest first. */
  linesAbove: string[];
  /** The same below. */
  linesBelow: string[];
}

const surroundingsChars = 2000;
const neighbours = 3;

export function surroundings(text: LongText, offset: number): Surroundings {
  const before = text.slice(Math.max(0, offset - surroundingsChars), offset).split('\n');
  const after = text.slice(offset, offset + surroundingsChars).split('\n');
  const filled = (lines: string[]) => lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return {
    linePrefix: before.pop() ?? '',
    lineSuffix: (after.shift() ?? '').trimEnd(),
    linesAbove: filled(before).reverse().slice(0, neighbours),
    linesBelow: filled(after).slice(0, neighbours),
  };
}
