// The lines of a text, with their offsets and their words.
import { wordsOf } from './text-edit.ts';

/** Longer lines are ignored: no person edits them, and searching them again and again would take too long. */
export const maxLineChars = 1000;

export interface Line {
  start: number;
  end: number;
  /** Without the line feed; '' if it is too long. */
  text: string;
}

export function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const found = { start, end: start + line.length, text: line.length > maxLineChars ? '' : line };
    start = found.end + 1;
    return found;
  });
}

export function indentationOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

/** Of the indices of lines, at most `most`: those nearest to `line`, in ascending order. */
export function nearest(indices: readonly number[], line: number, most: number): number[] {
  if (indices.length <= most) return [...indices];
  const distance = (index: number) => Math.abs(index - line);
  return indices
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, most)
    .sort((a, b) => a - b);
}

export function lineAt(lines: readonly Line[], offset: number): number {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A line that imports something, in any of the languages. */
export const importLine = /^\s*(import|from|#\s*include|using|use|require|require_once)\b/;

/** The share of words that two lines have in common, from 0 to 1; white space does not count. */
export function similarity(a: string, b: string): number {
  const [words, others] = [a, b].map((line) => wordsOf(line).filter((each) => each.trim() !== ''));
  if (!words || !others || words.length + others.length === 0) return 0;
  const left = new Map<string, number>();
  for (const each of words) left.set(each, (left.get(each) ?? 0) + 1);
  let common = 0;
  for (const each of others) {
    const count = left.get(each) ?? 0;
    if (count > 0) common++;
    left.set(each, count - 1);
  }
  return (2 * common) / (words.length + others.length);
}

/** Whether both texts have the same surplus of opening or closing brackets, for each kind of bracket. */
export function keepsBrackets(before: string, after: string): boolean {
  return ['()', '[]', '{}'].every(([open = '', close = '']) => {
    const balance = (text: string) => text.split(open).length - text.split(close).length;
    return balance(before) === balance(after);
  });
}

/** Whether the offset is in a string, as far as the line alone tells. */
export function isInString(line: string, at: number): boolean {
  return /["'`]/.test(line.slice(0, at).replace(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/g, ''));
}

/** A longer word is cut. */
const longestWord = 80;

/** The word's parts before and after the cursor. text: that of a document, or a part of it. */
export function wordAt(
  text: { slice(start: number, end: number): string },
  cursor: number,
): { before: string; after: string } {
  const at = Math.max(0, cursor);
  const before = /[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, at - longestWord), at))?.[0] ?? '';
  const after = cursor < 0 ? '' : (/^[\p{L}\p{N}_$]*/u.exec(text.slice(at, at + longestWord))?.[0] ?? '');
  return { before, after };
}
