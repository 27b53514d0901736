// Replaces the same words in other lines.
import { type Line, nearest } from '../../text/lines.ts';
import type { Candidate } from '../candidate.ts';
import { narrowed, type Substitution, substituted } from '../substitutions.ts';

const maxBlockLines = 8;
const maxPlaces = 40;

/** Makes each substitution alone, and all together, in single lines and in several adjacent lines at once. */
export function substitutedLines(
  lines: readonly Line[],
  substitutions: readonly Substitution[],
  cursorLine: number,
): Candidate[] {
  const found = substitutions
    .flatMap((substitution) => [substitution, narrowed(substitution)])
    .flatMap((substitution) => {
      const group = `${substitution.old}\n${substitution.now}\n${substitution.isPart}${substitution.between ? ' between' : ''}`;
      return editsOf(lines, cursorLine, (line) => substituted(line, substitution)).map((edit) => ({
        ...edit,
        ...{ finder: 'substitution' as const, group, changes: substitution.changes, substitution, differingWords: 0 },
      }));
    });
  const ofWholeWords = substitutions.filter(({ isPart }) => !isPart);
  for (const several of [ofWholeWords, substitutions]) {
    const [first] = several;
    if (!first || several.length < 2) continue;
    const edits = editsOf(lines, cursorLine, (line) => several.reduce(substituted, line));
    for (const edit of edits) {
      const substitution = several.find((possible) => substituted(edit.old, possible) !== edit.old) ?? first;
      const changes = substitution.changes;
      found.push({ ...edit, finder: 'substitution', group: 'all', changes, substitution, differingWords: 0 });
    }
  }
  return found;
}

function editsOf(lines: readonly Line[], cursorLine: number, change: (line: string) => string) {
  const changed = lines.map(({ text }) => change(text));
  const all = lines.flatMap(({ text }, i) => (changed[i] === text ? [] : [i]));
  const near = new Set(nearest(all, cursorLine, maxPlaces));
  const isChanged = (i: number) => near.has(i);
  const edits: { start: number; end: number; text: string; old: string }[] = [];
  const add = (first: number, last: number) => {
    const [from, to] = [lines[first], lines[last]];
    if (!from || !to) return;
    const [old, now] = [lines.slice(first, last + 1).map(({ text }) => text), changed.slice(first, last + 1)];
    edits.push({ start: from.start, end: to.end, text: now.join('\n'), old: old.join('\n') });
  };
  for (const i of near) {
    let last = i;
    while (isChanged(last + 1)) last++;
    if (!isChanged(i - 1) && last > i && last - i < maxBlockLines) add(i, last);
    add(i, i);
  }
  return edits;
}
