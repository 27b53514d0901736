// Edits that may follow from the last ones, proposed without a model.
import type { Candidate } from './candidate.ts';
import { analogousLines } from './generators/analogous-lines.ts';
import { callArguments } from './generators/call-arguments.ts';
import { repeatedInsertions } from './generators/repeated-insertions.ts';
import { substitutedLines } from './generators/substituted-lines.ts';
import { unusedNames } from './generators/unused-names.ts';
import { type Line, lineAt } from './lines.ts';
import { type PastChange, pastBlocks } from './past-changes.ts';
import { undoes } from './reversal.ts';
import { substitutionsOf } from './substitutions.ts';
import type { EditedDocument, TextEdit } from './text-edit.ts';

// More are a word of every other line, and no consequence.
const maxCandidates = 60;
const maxInGroup = 20;
const maxChars = 1000;

/** In the order of their places from the cursor on, those above it last; nothing that stands at the cursor itself. */
export function candidatesFor(
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Candidate[] {
  const { path, text, cursor, history } = place;
  const cursorLine = lineAt(lines, cursor);
  const all = [
    ...analogousLines(lines, [...changes, ...pastBlocks(history)], cursorLine),
    ...substitutedLines(lines, substitutionsOf(changes), cursorLine),
    ...callArguments(lines, changes),
    ...repeatedInsertions(lines, changes, path),
    ...unusedNames(lines, changes),
  ];
  const groups = new Map<string, number>();
  const isWithinGroup = ({ group }: Candidate) => {
    const count = (groups.get(group) ?? 0) + 1;
    groups.set(group, count);
    return count <= maxInGroup;
  };
  return fromCursor(
    all.filter(({ start, end, text: now }) => end <= text.length && end - start <= maxChars && now.length <= maxChars),
    text,
    cursor,
  )
    .filter(isWithinGroup)
    .slice(0, maxCandidates)
    .filter((edit) => isMoreThanSpace(edit, text) && keepsBrackets(edit, text) && !undoes(edit, text, history));
}

function isMoreThanSpace({ start, end, text: now }: TextEdit, text: string): boolean {
  return text.slice(start, end).replace(/\s/g, '') !== now.replace(/\s/g, '');
}

/** Whether as many brackets are left open as before, or closed. */
function keepsBrackets({ start, end, text: now }: TextEdit, text: string): boolean {
  const old = text.slice(start, end);
  return ['()', '[]', '{}'].every(([open = '', close = '']) => {
    const balance = (lines: string) => lines.split(open).length - lines.split(close).length;
    return balance(old) === balance(now);
  });
}

/** Without those at the cursor and those that come to the same. */
export function fromCursor<T extends TextEdit>(edits: T[], text: string, cursor: number): T[] {
  const distance = ({ start }: TextEdit) => (start >= cursor ? start - cursor : text.length + cursor - start);
  const seen = new Set<string>();
  const isNew = (edit: TextEdit) => {
    const [from, to] = trimmed(edit, text);
    const key = `${from} ${to} ${edit.text.slice(from - edit.start, edit.text.length - (edit.end - to))}`;
    return from < to || edit.text.length > edit.end - edit.start ? !seen.has(key) && seen.add(key) : false;
  };
  return edits
    .filter(({ start, end }) => !(start <= cursor && cursor <= end))
    .filter(isNew)
    .sort((a, b) => distance(a) - distance(b));
}

/** The range that an edit really changes. */
function trimmed({ start, end, text: now }: TextEdit, text: string): [from: number, to: number] {
  const old = text.slice(start, end);
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [start + head, end - tail];
}
