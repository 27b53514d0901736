// Edits that may follow from the last ones, proposed without a model.

import { type PastChange, pastBlocks } from '../history/past-changes.ts';
import { undoes } from '../history/reversal.ts';
import { newWord } from '../history/typed-word.ts';
import { keepsBrackets, type Line, lineAt, similarity } from '../text/lines.ts';
import { commonEnds, type EditedDocument, type TextEdit, wordsOf } from '../text/text-edit.ts';
import type { Candidate } from './candidate.ts';
import { analogousLines } from './finders/analogous-lines.ts';
import { editsInContext } from './finders/edits-in-context.ts';
import { substitutedLines } from './finders/substituted-lines.ts';
import { substitutionsOf } from './substitutions.ts';

// More are a word of every other line, and no consequence.
const maxCandidates = 60;
const maxInGroup = 20;
const maxChars = 1000;

/**
 * Ordered by place, from the cursor on, with those above it last. None is at the cursor itself. Behind a word that nothing
 * else has, which may be half typed, only those that repeat it whole.
 */
export function candidatesFor(
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Candidate[] {
  const { text, cursor, history, isNamesake = () => false } = place;
  const typed = newWord(place);
  const cursorLine = lineAt(lines, cursor);
  const substitutions = substitutionsOf(changes);
  const all = [
    ...analogousLines(lines, [...changes, ...pastBlocks(history)], cursorLine),
    ...editsInContext(lines, changes, cursorLine),
    ...substitutedLines(lines, substitutions, cursorLine),
  ];
  const groups = new Map<string, number>();
  const isWithinGroup = ({ group }: Candidate) => {
    const count = (groups.get(group) ?? 0) + 1;
    groups.set(group, count);
    return count <= maxInGroup;
  };
  const possible = fromCursor(
    all.filter(({ start, end, text: now }) => end <= text.length && end - start <= maxChars && now.length <= maxChars),
    text,
    cursor,
  )
    .filter(isWithinGroup)
    .filter((edit) => typed === undefined || wordsOf(edit.text).includes(typed))
    .filter(
      (edit) =>
        isMoreThanSpace(edit, text) &&
        keepsBrackets(text.slice(edit.start, edit.end), edit.text) &&
        !isNamesake(edit) &&
        !undoes(edit, text, history),
    );
  return mostPromising(possible, text);
}

/** In the same order; of too many, those whose lines resemble the ones that were edited. */
function mostPromising(candidates: Candidate[], text: string): Candidate[] {
  if (candidates.length <= maxCandidates) return candidates;
  const resemblance = ({ start, end, changes: [change] }: Candidate) =>
    change ? similarity(text.slice(start, end), change.before.join('\n')) : 0;
  const byResemblance = candidates
    .map((candidate) => ({ candidate, share: resemblance(candidate) }))
    .sort((a, b) => b.share - a.share);
  const best = new Set(byResemblance.slice(0, maxCandidates).map(({ candidate }) => candidate));
  return candidates.filter((each) => best.has(each));
}

function isMoreThanSpace({ start, end, text: now }: TextEdit, text: string): boolean {
  return text.slice(start, end).replace(/\s/g, '') !== now.replace(/\s/g, '');
}

/** Without those at the cursor; of those that come to the same, the first, which has the votes of all. */
export function fromCursor<T extends TextEdit & { votes?: number }>(edits: T[], text: string, cursor: number): T[] {
  const distance = ({ start }: TextEdit) => (start >= cursor ? start - cursor : text.length + cursor - start);
  const found = new Map<string, T & { votes: number }>();
  for (const edit of edits) {
    if (edit.start <= cursor && cursor <= edit.end) continue;
    const [from, to] = trimmed(edit, text);
    if (from === to && edit.text.length <= edit.end - edit.start) continue;
    const key = `${from} ${to} ${edit.text.slice(from - edit.start, edit.text.length - (edit.end - to))}`;
    const known = found.get(key);
    if (known) known.votes++;
    else found.set(key, { ...edit, votes: 1 });
  }
  return [...found.values()].sort((a, b) => distance(a) - distance(b));
}

/** The range that an edit really changes. */
function trimmed({ start, end, text: now }: TextEdit, text: string): [from: number, to: number] {
  const old = text.slice(start, end);
  const { head, tail } = commonEnds(old, now);
  return [start + head, end - tail];
}
