// The lines of a text, with their offsets and their words.
import { wordsOf } from './text-edit.ts';

/** Longer lines are ignored: no person edits them, and to search them again and again would take too long. */
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

/** Of the indices of some lines, the `count` nearest to `line`, in ascending order. */
export function nearest(indices: readonly number[], line: number, count: number): number[] {
  if (indices.length <= count) return [...indices];
  const distance = (index: number) => Math.abs(index - line);
  return indices
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, count)
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

/** A line of an import, in any of the languages. */
export const importLine = /^\s*(import|from|#\s*include|using|use|require|require_once)\b/;

/** The share of words that two lines have in common, from 0 to 1; white space does not count. */
export function similarity(a: string, b: string): number {
  const [words, others] = [a, b].map((line) => wordsOf(line).filter((word) => word.trim() !== ''));
  if (!words || !others || words.length + others.length === 0) return 0;
  const unmatched = new Map<string, number>();
  for (const word of words) unmatched.set(word, (unmatched.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of others) {
    const count = unmatched.get(word) ?? 0;
    if (count > 0) common++;
    unmatched.set(word, count - 1);
  }
  return (2 * common) / (words.length + others.length);
}

/** Whether the number of opening brackets minus that of closing ones is the same in both texts, for each kind. */
export function keepsBrackets(before: string, after: string): boolean {
  return ['()', '[]', '{}'].every(([open = '', close = '']) => {
    const balance = (text: string) => text.split(open).length - text.split(close).length;
    return balance(before) === balance(after);
  });
}

/** Whether the offset is in a string. Only the line is examined, so a string of several lines is not recognized. */
export function isInString(line: string, at: number): boolean {
  return /["'`]/.test(line.slice(0, at).replace(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/g, ''));
}

/** Longer words are cut. */
const longestWord = 80;

/** The parts of the word at the cursor. */
export function wordAt(
  text: { slice(start: number, end: number): string },
  cursor: number,
): { before: string; after: string } {
  const at = Math.max(0, cursor);
  const before = /[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, at - longestWord), at))?.[0] ?? '';
  const after = cursor < 0 ? '' : (/^[\p{L}\p{N}_$]*/u.exec(text.slice(at, at + longestWord))?.[0] ?? '');
  return { before, after };
}
