// Proposes to replace the same words in the other lines that have them.

import { type Line, nearest } from '../../text/lines.ts';
import type { Candidate } from '../candidate.ts';
import { narrowed, type Substitution, substituted } from '../substitutions.ts';

const maxBlockLines = 8;
const maxPlaces = 40;

/** The edits by each substitution alone and by all together, of single lines and of adjacent lines at once. */
export function substitutedLines(
  lines: readonly Line[],
  known: readonly Substitution[],
  cursorLine: number,
): Candidate[] {
  const found = known
    .flatMap((each) => [each, narrowed(each)])
    .flatMap((substitution) => {
      const group = `${substitution.old}\n${substitution.now}\n${substitution.isPart}${substitution.between ? ' between' : ''}`;
      return editsOf(lines, cursorLine, (line) => substituted(line, substitution)).map((edit) => ({
        ...edit,
        ...{ finder: 'substitution' as const, group, changes: substitution.changes, substitution, differingWords: 0 },
      }));
    });
  const whole = known.filter(({ isPart }) => !isPart);
  for (const several of [whole, known]) {
    const [first] = several;
    if (!first || several.length < 2) continue;
    const edits = editsOf(lines, cursorLine, (line) => several.reduce(substituted, line));
    for (const edit of edits) {
      const substitution = several.find((each) => substituted(edit.old, each) !== edit.old) ?? first;
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
