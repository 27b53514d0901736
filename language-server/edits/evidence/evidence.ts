// Describes a candidate in numbers, from the last edits and the text, for the fitted trees.

import type { PastChange } from '../history/past-changes.ts';
import { type Candidate, finders } from '../proposals/candidate.ts';
import { isRename, isTelling, occurrencesOf, wordAfter, wordBefore } from '../proposals/substitutions.ts';
import { importLine, type Line, similarity } from '../text/lines.ts';
import { changesOf, type EditedDocument, wordsOf } from '../text/text-edit.ts';
import { contextOf, type EvidenceContext } from './evidence-context.ts';

/**
 * The names of the numbers, in their order. If one is added, the trees must be fitted again. "The past change" is the
 * one that the candidate repeats; "its places" are those of all candidates in the same group.
 */
export const evidenceNames = [
  // The finder; how often the user made the past change, how many edits ago last, and how many edits ago first; the
  // number of its places, and how many of them are nearer to the cursor; how many words differ from the past change;
  // how many finders and groups propose the candidate.
  ...['finder', 'times', 'age', 'oldest', 'places', 'nearerPlaces', 'differingWords', 'votes'],
  // How many lines the candidate is from the cursor; whether it is below the cursor; whether the user has edited lines
  // both above and below the candidate.
  ...['distance', 'isBelow', 'isPassed'],
  // The number of old lines, of new lines, of deleted characters, and of inserted ones; whether whole lines are
  // deleted; the number of separate changes.
  ...['oldLines', 'newLines', 'goneChars', 'comeChars', 'removesLine', 'changes'],
  // How similar to the past change are the old lines, the new lines, the line above, and the line below.
  ...['likeBefore', 'likeAfter', 'likeAbove', 'likeBelow'],
  // If the finder replaces words (otherwise all are -1): whether they are a name, or a part of one; whether the
  // neighbour on the left, or on the right, is the same as in the past change; how often the document has the old
  // words, and the new ones; whether a line that the user edited still has the old words.
  ...['isRename', 'isPart', 'sameLeft', 'sameRight', 'oldLeft', 'nowThere', 'staysElsewhere'],
  // Whether the line is a comment; an import; whether it has quotation marks.
  ...['isComment', 'isImport', 'isString'],
  // What the user is doing: the number of edits; how many lines the last edit wrote; whether the cursor is inside a
  // word; whether it is after a word (2: one that occurs nowhere else); whether that word begins a longer known word;
  // whether an operator or an opening bracket is before the cursor.
  ...['edits', 'lastEditLines', 'isInsideWord', 'isJustTyped', 'mayContinue', 'isDangling'],
] as const;

export type Evidence = Float64Array;

/** One array per candidate, with a number for each of evidenceNames. */
export function evidenceOf(
  candidates: readonly Candidate[],
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Evidence[] {
  const context = contextOf(place, lines, changes);
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) groups.set(candidate.group, [...(groups.get(candidate.group) ?? []), candidate]);
  return candidates.map((candidate) => {
    const group = groups.get(candidate.group) ?? [];
    return Float64Array.from([
      ...originNumbers(candidate, group),
      ...placeNumbers(candidate, context),
      ...sizeNumbers(candidate, place),
      ...likenessNumbers(candidate, context),
      ...wordNumbers(candidate, context),
      ...surroundingsNumbers(candidate, place),
      ...context.userNumbers,
    ]);
  });
}

function originNumbers({ finder, changes, differingWords, votes = 1, start }: Candidate, group: Candidate[]): number[] {
  const nearer = group.findIndex((candidate) => candidate.start === start);
  const ages = changes.map(({ age }) => age);
  const [newest, oldest] = [Math.min(...ages), Math.max(...ages)];
  return [finders.indexOf(finder), changes.length, newest, oldest, group.length, nearer, differingWords, votes];
}

function placeNumbers({ start }: Candidate, { cursorLine, edited, lineOf }: EvidenceContext): number[] {
  const line = lineOf(start);
  const isPassed = edited.some((other) => other < line) && edited.some((other) => other > line);
  return [Math.abs(line - cursorLine), Number(line > cursorLine), Number(isPassed)];
}

function sizeNumbers(candidate: Candidate, { text }: EditedDocument): number[] {
  const old = text.slice(candidate.start, candidate.end);
  const changes = changesOf(candidate, text);
  const gone = changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const come = changes.reduce((sum, change) => sum + change.text.length, 0);
  const count = (lines: string) => (lines === '' ? 0 : lines.replace(/\n$/, '').split('\n').length);
  const removesLine = candidate.text === '' && old !== '';
  return [count(old), count(candidate.text), gone, come, Number(removesLine), changes.length];
}

function likenessNumbers(
  { start, end, text: now, changes }: Candidate,
  { text, lines, lineOf, linesBeside }: EvidenceContext,
): number[] {
  const old = text.slice(start, end);
  const like = (here: string, past: (change: PastChange) => string[]) =>
    Math.max(0, ...changes.slice(0, 4).map((change) => similarity(here, past(change).join('\n'))));
  const [change] = changes;
  const [first, last] = [lineOf(start), lineOf(end)];
  const there = change && linesBeside(change);
  const beside = (here: number, at: number | undefined) =>
    at === undefined ? -1 : similarity(lines[here]?.text ?? '', lines[at]?.text ?? '');
  return [
    like(old, ({ before }) => before),
    like(now, ({ after }) => after),
    beside(first - 1, there?.above),
    beside(last + 1, there?.below),
  ];
}

function wordNumbers({ substitution, start, end }: Candidate, { text, counts, history }: EvidenceContext): number[] {
  if (!substitution) return Array.from({ length: 7 }, () => -1);
  const { old, now, places, isPart } = substitution;
  const line = text.slice(start, end);
  const around = occurrencesOf(substitution, line).map((at) => ({
    left: wordBefore(line.slice(0, at)).trim(),
    right: wordAfter(line.slice(at + old.length)).trim(),
  }));
  const isSame = (side: 'left' | 'right') =>
    around.some((here) => here[side] !== '' && places.some((there) => there[side].trim() === here[side]));
  const count = (words: string) =>
    Math.min(
      ...wordsOf(words)
        .filter(isTelling)
        .map((word) => counts.get(word) ?? 0),
      99,
    );
  return [
    Number(isRename(substitution)),
    Number(isPart),
    Number(isSame('left')),
    Number(isSame('right')),
    count(old),
    count(now),
    Number(history.some(({ after }) => occurrencesOf(substitution, after).length > 0)),
  ];
}

function surroundingsNumbers({ start, end }: Candidate, { text }: EditedDocument): number[] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const line = text.slice(lineStart, Math.max(end, text.indexOf('\n', start)));
  return [
    Number(/^\s*(\/\/|\/\*|\*|#(?!\s*(include|define|if))|--|"""|''')/.test(line)),
    Number(importLine.test(line)),
    Number(/["'`]/.test(line)),
  ];
}
