// Describes a candidate in numbers, from the last edits and the text, for the fitted trees.

import type { PastChange } from '../history/past-changes.ts';
import { type Candidate, finders } from '../proposals/candidate.ts';
import { isDistinctive, isRename, occurrencesOf, wordAfter, wordBefore } from '../proposals/substitutions.ts';
import { importLine, type Line, similarity } from '../text/lines.ts';
import { changesOf, type EditedDocument, wordsOf } from '../text/text-edit.ts';
import { contextOf, type EvidenceContext } from './evidence-context.ts';

/**
 * The names of the numbers, in their order. If one is added, the trees must be fitted again. "The past change" is the
 * one that the candidate repeats. All candidates of a group repeat the same change, each in another place.
 */
export const evidenceNames = [
  // finder: its index. times: how often the user made the past change. age, oldest: how many edits ago it was made
  // last, and first. places: the number of places in the group. nearerPlaces: how many of them come before this one,
  // counted from the cursor. differingWords: how many words differ from the past change. votes: how many finders and
  // groups propose the candidate.
  ...['finder', 'times', 'age', 'oldest', 'places', 'nearerPlaces', 'differingWords', 'votes'],
  // distance: to the cursor, in lines. isBelow: the cursor. isPassed: the user has edited lines above the candidate and
  // lines below it.
  ...['distance', 'isBelow', 'isPassed'],
  // goneChars, comeChars: how many characters are deleted and inserted. removesLine: whole lines are deleted. changes:
  // the number of separate changes.
  ...['oldLines', 'newLines', 'goneChars', 'comeChars', 'removesLine', 'changes'],
  // How similar to the past change are the old lines, the new lines, the line above, and the line below.
  ...['likeBefore', 'likeAfter', 'likeAbove', 'likeBelow'],
  // All -1 unless the finder replaces words. isRename: one name is replaced with another. isPart: only a part of a name
  // is. sameLeft, sameRight: the neighbour there is the same as in the past change. oldLeft, nowThere: how often the
  // document has the old words, and the new ones. staysElsewhere: the new text of an edit in the history still has the
  // old words.
  ...['isRename', 'isPart', 'sameLeft', 'sameRight', 'oldLeft', 'nowThere', 'staysElsewhere'],
  // The candidate's line is a comment, is an import, has quotation marks.
  ...['isComment', 'isImport', 'isString'],
  // What the user is doing. edits: the length of the history. lastEditLines: how many lines the last edit wrote.
  // isInsideWord: the cursor is. isJustTyped: the cursor is after a word; 2 if the word occurs nowhere else.
  // mayContinue: that word is the beginning of a longer known word. isDangling: an operator, a comma or an opening
  // bracket is before the cursor.
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
        .filter(isDistinctive)
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
