// Edits of a text, and the differences between two texts, word by word.

/** Replaces the text from `start` to `end`, which are offsets. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/**
 * An edit that the user has made in a file: the lines before and after it, with "\n" between them. One of the two is ''
 * if the edit only added or only removed lines.
 */
export interface PastEdit {
  path: string;
  before: string;
  after: string;
  /** The line of the current file where the lines `after` begin; absent if unknown. */
  line?: number;
}

/** The first line of a file is 0. The line `end` is not included. */
export interface LineRange {
  first: number;
  end: number;
}

export interface EditedDocument {
  path: string;
  /** Lines end with "\n". */
  text: string;
  /** The offset of the cursor; -1 if the cursor is in another document. */
  cursor: number;
  /** Oldest first. */
  history: readonly PastEdit[];
  /** Edits that the user does not want. They are not proposed. */
  dismissed?: readonly TextEdit[];
  /** Whether an edit would rename a namesake: another symbol with the name that a renamed one had. */
  isNamesake?: (edit: TextEdit) => boolean;
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

/** Whether both edits turn the text into the same text. */
export function haveSameResult(text: string, a: TextEdit, b: TextEdit): boolean {
  const [from, to] = [Math.min(a.start, b.start), Math.max(a.end, b.end)];
  const result = (edit: TextEdit) => text.slice(from, edit.start) + edit.text + text.slice(edit.end, to);
  return result(a) === result(b);
}

const word = /[\p{L}\p{N}_$]+|\r?\n|[^\S\r\n]+|[^\p{L}\p{N}_$\s]|\s/gu;

/** Divides a text into words, line feeds, runs of spaces, and single characters of any other kind. */
export function wordsOf(text: string): string[] {
  return text.match(word) ?? [];
}

export function isWord(text: string): boolean {
  return /^[\p{L}_$]/u.test(text);
}

export function isName(text: string): boolean {
  return isWord(text) && wordsOf(text).length === 1;
}

/** How many items two lists share at their beginnings (head), and at the ends of the remaining items (tail). */
export function commonEnds<T>(a: ArrayLike<T>, b: ArrayLike<T>): { head: number; tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

// If there are more pairs of words to compare, the whole difference is one change.
const maxPairs = 1_000_000;

/** The replacements of words that turn `before` into `after`, in order, with offsets in `before`. */
export function changesBetween(before: string, after: string): TextEdit[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const { head, tail } = commonEnds(old, now);
  const kept = commonWords(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const changes: TextEdit[] = [];
  const lengthOf = (words: string[]) => words.reduce((sum, word) => sum + word.length, 0);
  let [i, j, at] = [head, head, lengthOf(old.slice(0, head))];
  for (const [nextOld, nextNow] of [...kept, [old.length - head - tail, now.length - head - tail] as const]) {
    const removed = lengthOf(old.slice(i, head + nextOld));
    const text = now.slice(j, head + nextNow).join('');
    if (removed > 0 || text !== '') changes.push({ start: at, end: at + removed, text });
    at += removed + (old[head + nextOld]?.length ?? 0);
    [i, j] = [head + nextOld + 1, head + nextNow + 1];
  }
  return changes;
}

/** The edit as changes of single words. Most of its text may be the same as the old text. */
export function changesOf(edit: TextEdit, text: string): TextEdit[] {
  const changes = changesBetween(text.slice(edit.start, edit.end), edit.text);
  return changes.map(({ start, end, text: now }) => ({ start: edit.start + start, end: edit.start + end, text: now }));
}

/** A longest common subsequence, as pairs of indices. */
function commonWords(old: string[], now: string[]): (readonly [number, number])[] {
  if (old.length * now.length > maxPairs) return [];
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < old.length && j < now.length; )
    if (old[i] === now[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  return pairs;
}
