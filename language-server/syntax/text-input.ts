// Lets tree-sitter read a LongText in pieces, so that no document is copied, and converts positions. For tree-sitter,
// only "\n" ends a row. Its columns are in UTF-16 units, just like offsets.
import { Edit, type ParseCallback, type Point } from 'web-tree-sitter';
import type { LongText } from '../documents/long-text.ts';

type Chunk = LongText['chunks'][number];

/** The maximum number of characters that tree-sitter gets at once. */
const readChars = 4096;

/** By chunk: how many line breaks it has, and the offset of the last one, which is -1 if there is none. */
const lastBreaks = new WeakMap<Chunk, { count: number; last: number }>();

function breaksIn(chunk: Chunk): { count: number; last: number } {
  const found = lastBreaks.get(chunk) ?? countBreaks(chunk.text);
  lastBreaks.set(chunk, found);
  return found;
}

function countBreaks(text: string): { count: number; last: number } {
  let [count, last] = [0, -1];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) [count, last] = [count + 1, at];
  return { count, last };
}

export function pointAt(text: LongText, offset: number): Point {
  let [row, lineStart, chunkStart] = [0, 0, 0];
  for (const chunk of text.chunks) {
    if (chunkStart >= offset) break;
    const isWhole = chunkStart + chunk.text.length <= offset;
    const { count, last } = isWhole ? breaksIn(chunk) : countBreaks(chunk.text.slice(0, offset - chunkStart));
    row += count;
    if (last !== -1) lineStart = chunkStart + last + 1;
    chunkStart += chunk.text.length;
  }
  return { row, column: offset - lineStart };
}

/**
 * Returns the function with which tree-sitter reads the text. It remembers the last chunk, since most reads go forward.
 */
export function reader({ chunks }: LongText): ParseCallback {
  let [i, chunkStart] = [0, 0];
  return (offset) => {
    if (offset < chunkStart) [i, chunkStart] = [0, 0];
    for (let chunk = chunks[i]; chunk && offset >= chunkStart + chunk.text.length; chunk = chunks[++i])
      chunkStart += chunk.text.length;
    return chunks[i]?.text.slice(offset - chunkStart, offset - chunkStart + readChars);
  };
}

/** The single edit that turns `before` into `after`; null if they are equal. Shared chunks are not compared. */
export function editBetween(before: LongText, after: LongText): Edit | null {
  const shortest = Math.min(before.chunks.length, after.chunks.length);
  // `first` is the first chunk from the start that differs, and `last` the first from the end. `start` and `tail` are
  // the numbers of characters that are the same at the start and at the end.
  let [first, start] = [0, 0];
  for (; first < shortest && before.chunks[first] === after.chunks[first]; first++)
    start += before.chunks[first]?.text.length ?? 0;
  let [last, tail] = [1, 0];
  for (; last <= shortest - first && before.chunks.at(-last) === after.chunks.at(-last); last++)
    tail += before.chunks.at(-last)?.text.length ?? 0;
  const [oldPart, newPart] = [before.slice(start, before.length - tail), after.slice(start, after.length - tail)];
  if (oldPart === newPart) return null;
  const head = sameStart(oldPart, newPart);
  start += head;
  tail += sameEnd(oldPart.slice(head), newPart.slice(head));
  return treeEdit(before, after, start, before.length - tail);
}

/** tree-sitter's description of an edit that replaced [start, end) of `before`. */
export function treeEdit(before: LongText, after: LongText, start: number, end: number): Edit {
  const newEnd = after.length - (before.length - end);
  return new Edit({
    startIndex: start,
    oldEndIndex: end,
    newEndIndex: newEnd,
    startPosition: pointAt(before, start),
    oldEndPosition: pointAt(before, end),
    newEndPosition: pointAt(after, newEnd),
  });
}

/**
 * The number of characters that are the same at the start. It never splits a surrogate pair, since the grammar reads
 * that as one character.
 */
function sameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a.charCodeAt(count) === b.charCodeAt(count)) count++;
  return count > 0 && (a.charCodeAt(count - 1) & 0xfc00) === 0xd800 ? count - 1 : count;
}

function sameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a.charCodeAt(a.length - count - 1) === b.charCodeAt(b.length - count - 1)) count++;
  return count > 0 && (a.charCodeAt(a.length - count) & 0xfc00) === 0xdc00 ? count - 1 : count;
}
