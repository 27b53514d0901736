// Collects the candidates of all finders. No model is asked.
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

// More candidates mean that a common word was replaced, and that nothing follows from it.
const maxCandidates = 60;
const maxInGroup = 20;
const maxChars = 1000;

/**
 * The candidates in the order of their places: first those below the cursor, then those above, none at the cursor. If
 * the word before the cursor occurs nowhere else, it may be half typed: then all candidates contain this word.
 */
export function candidatesFor(
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Candidate[] {
  const { text, cursor, history, isNamesake = () => false } = place;
  const typedWord = newWord(place);
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
    .filter((edit) => typedWord === undefined || wordsOf(edit.text).includes(typedWord))
    .filter(
      (edit) =>
        isMoreThanSpace(edit, text) &&
        keepsBrackets(text.slice(edit.start, edit.end), edit.text) &&
        !isNamesake(edit) &&
        !undoes(edit, text, history),
    );
  return mostPromising(possible, text);
}

/** At most maxCandidates candidates, in the same order: those whose lines are most similar to the edited lines. */
function mostPromising(candidates: Candidate[], text: string): Candidate[] {
  if (candidates.length <= maxCandidates) return candidates;
  const resemblance = ({ start, end, changes: [change] }: Candidate) =>
    change ? similarity(text.slice(start, end), change.before.join('\n')) : 0;
  const byResemblance = candidates
    .map((candidate) => ({ candidate, share: resemblance(candidate) }))
    .sort((a, b) => b.share - a.share);
  const best = new Set(byResemblance.slice(0, maxCandidates).map(({ candidate }) => candidate));
  return candidates.filter((candidate) => best.has(candidate));
}

function isMoreThanSpace({ start, end, text: now }: TextEdit, text: string): boolean {
  return text.slice(start, end).replace(/\s/g, '') !== now.replace(/\s/g, '');
}

/**
 * The edits in the order of their places from the cursor on, without those at the cursor. Edits with the same result
 * become one edit, which counts their votes.
 */
export function fromCursor<T extends TextEdit & { votes?: number }>(edits: T[], text: string, cursor: number): T[] {
  const distance = ({ start }: TextEdit) => (start >= cursor ? start - cursor : text.length + cursor - start);
  const found = new Map<string, T & { votes: number }>();
  for (const edit of edits) {
    if (edit.start <= cursor && cursor <= edit.end) continue;
    const [from, to] = trimmed(edit, text);
    if (from === to && edit.text.length <= edit.end - edit.start) continue;
    const key = `${from} ${to} ${edit.text.slice(from - edit.start, edit.text.length - (edit.end - to))}`;
    const same = found.get(key);
    if (same) same.votes++;
    else found.set(key, { ...edit, votes: 1 });
  }
  return [...found.values()].sort((a, b) => distance(a) - distance(b));
}

/** The range of an edit without the beginning and the end that the edit leaves as they are. */
function trimmed({ start, end, text: now }: TextEdit, text: string): [from: number, to: number] {
  const old = text.slice(start, end);
  const { head, tail } = commonEnds(old, now);
  return [start + head, end - tail];
}
