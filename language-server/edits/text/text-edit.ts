// An edit of a text, and how two texts differ, word by word.

/** Replaces what is between two offsets. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/**
 * What was changed in a file: the lines before and after, with "\n" between them. Either is '' if lines were only added
 * or only removed.
 */
export interface PastEdit {
  path: string;
  before: string;
  after: string;
  /** The line of the current file where the lines after the edit begin; absent if it is unknown. */
  line?: number;
}

/** Lines, counted from 0. The line `end` is not included. */
export interface LineRange {
  first: number;
  end: number;
}

export interface EditedDocument {
  path: string;
  /** Lines end with "\n". */
  text: string;
  /** The offset of the cursor; -1 if it is in another document. */
  cursor: number;
  /** Oldest first. */
  history: readonly PastEdit[];
  /** Edits that the user does not want, which are left out. */
  dismissed?: readonly TextEdit[];
  /** Whether an edit would rename something else with the name of what was renamed. */
  isNamesake?: (edit: TextEdit) => boolean;
}

export function applyEdit(text: string, edit: TextEdit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

/** Whether both edits turn the text into the same text. */
export function comesToTheSame(text: string, one: TextEdit, other: TextEdit): boolean {
  const [from, to] = [Math.min(one.start, other.start), Math.max(one.end, other.end)];
  const [first, second] = [one, other].map(
    (each) => text.slice(from, each.start) + each.text + text.slice(each.end, to),
  );
  return first === second;
}

const word = /[\p{L}\p{N}_$]+|\r?\n|[^\S\r\n]+|[^\p{L}\p{N}_$\s]|\s/gu;

/** Words, line feeds, runs of spaces, and single characters of any other kind. */
export function wordsOf(text: string): string[] {
  return text.match(word) ?? [];
}

export function isWord(text: string): boolean {
  return /^[\p{L}_$]/u.test(text);
}

/** How many items two lists have in common at their beginnings (head), and of the rest at their ends (tail). */
export function commonEnds<T>(one: ArrayLike<T>, other: ArrayLike<T>): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, tail };
}

// If more pairs of words would have to be compared, the difference counts as one change.
const maxPairs = 1_000_000;

/** The replacements of words that turn `before` into `after`, in order. Offsets refer to `before`. */
export function changesBetween(before: string, after: string): TextEdit[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const { head, tail } = commonEnds(old, now);
  const kept = commonWords(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const changes: TextEdit[] = [];
  const lengthOf = (words: string[]) => words.reduce((sum, each) => sum + each.length, 0);
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

/** What an edit really changes: its text may be mostly the same as what it replaces. */
export function changesOf(edit: TextEdit, text: string): TextEdit[] {
  const changes = changesBetween(text.slice(edit.start, edit.end), edit.text);
  return changes.map(({ start, end, text: now }) => ({ start: edit.start + start, end: edit.start + end, text: now }));
}

/** The pairs of indices of a longest common subsequence. */
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
