// Finds lines that look like a changed line with some words replaced, and makes the same change with these words: if
// "a.get(x)" became "a.at(x)", then "b.get(y)" becomes "b.at(y)".
import type { PastChange } from '../../history/past-changes.ts';
import { indentationOf, type Line, nearest } from '../../text/lines.ts';
import { isWord, wordsOf } from '../../text/text-edit.ts';
import type { Candidate } from '../candidate.ts';
import { isDistinctive } from '../substitutions.ts';

const maxLines = 8;
const maxDifferingWords = 4;
const maxPlaces = 60;

export function analogousLines(
  lines: readonly Line[],
  changes: readonly PastChange[],
  cursorLine: number,
): Candidate[] {
  const shapes = new Map<string, number[]>();
  lines.forEach(({ text }, i) => {
    const shape = shapeOf(text);
    const indices = shapes.get(shape);
    if (indices) indices.push(i);
    else shapes.set(shape, [i]);
  });
  return changes.flatMap((change) => {
    const { before, after } = change;
    if (before.length === 0 || before.length > maxLines || before.join('').trim().length < 3) return [];
    const places = nearest(shapes.get(shapeOf(before[0] ?? '')) ?? [], cursorLine, maxPlaces);
    return places.flatMap((first) => {
      const target = lines.slice(first, first + before.length);
      const [from, to] = [target[0], target.at(-1)];
      if (!from || !to || target.length < before.length) return [];
      const analogy = analogyOf(
        change,
        target.map(({ text }) => text),
      );
      if (!analogy) return [];
      const edit =
        after.length > 0
          ? { start: from.start, end: to.end, text: analogy.text }
          : { start: from.start, end: to.end + 1, text: '' };
      const group = `${before.join('\n')}\n\n${after.join('\n')}`;
      const same = changes.filter((other) => isSame(other.before, before) && isSame(other.after, after));
      return [{ ...edit, finder: 'analogy' as const, group, changes: same, differingWords: analogy.differingWords }];
    });
  });
}

const isSame = (a: string[], b: string[]) =>
  a.length === b.length && a.every((line, i) => line.trim() === b[i]?.trim());

/** The line without its indentation, and with "w" in place of each word. */
function shapeOf(line: string): string {
  return line.trim().replace(/[\p{L}_$][\p{L}\p{N}_$]*/gu, 'w');
}

/** The target lines after the same change; undefined if they lack a word that the change replaces. */
function analogyOf(
  { before, after }: PastChange,
  target: string[],
): { text: string; differingWords: number } | undefined {
  const others = new Map<string, string>();
  for (const [i, line] of before.entries()) {
    const [words, here] = [wordsOf(line.trim()), wordsOf(target[i]?.trim() ?? '')];
    if (words.length !== here.length) return undefined;
    for (const [j, word] of words.entries()) {
      const other = here[j] ?? '';
      if (!isWord(word) ? word !== other : (others.get(word) ?? other) !== other) return undefined;
      if (isWord(word)) others.set(word, other);
    }
  }
  const different = [...others].filter(([word, other]) => word !== other);
  if (different.length > maxDifferingWords || (after.length === 0 && different.length > 0)) return undefined;
  const kept = new Set(after.flatMap(wordsOf));
  const isReplaced = different.some(([word]) => !kept.has(word));
  if (isReplaced || (different.length > 0 && different.length === others.size)) return undefined;
  const [old = '', now = ''] = [indentationOf(before[0] ?? ''), indentationOf(target[0] ?? '')];
  const text = after.map((line) => mapped(reindented(line, old, now), others)).join('\n');
  return { text, differingWords: different.length };
}

function reindented(line: string, old: string, now: string): string {
  return line.startsWith(old) ? now + line.slice(old.length) : line;
}

function mapped(line: string, others: ReadonlyMap<string, string>): string {
  return wordsOf(line)
    .map((word) => (isDistinctive(word) ? (others.get(word) ?? word) : word))
    .join('');
}
