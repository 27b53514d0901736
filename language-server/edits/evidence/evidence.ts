// What the last edits and the text say about an edit that may follow: numbers for the fitted trees.

import type { PastChange } from '../history/past-changes.ts';
import { type Candidate, finders } from '../proposals/candidate.ts';
import { isRename, isTelling, occurrencesOf, wordBefore, wordBehind } from '../proposals/substitutions.ts';
import { importLine, type Line, similarity } from '../text/lines.ts';
import { changesOf, type EditedDocument, wordsOf } from '../text/text-edit.ts';
import { contextOf, type EvidenceContext } from './evidence-context.ts';

/** In the order of the numbers. Adding one means fitting the model again. */
export const evidenceNames = [
  // How it was found: the finder; how often the same was done and how many edits ago; in how many places it could be
  // done, and how many of these are nearer to the cursor; how many words differ from what was done.
  ...['finder', 'times', 'age', 'oldest', 'places', 'nearerPlaces', 'otherWords', 'votes'],
  // How near it is: lines from the cursor; below it; passed by the user, who has edited before and behind it.
  ...['distance', 'isBelow', 'isPassed'],
  // What it is: lines and words that go and come, and whether a line goes as a whole.
  ...['oldLines', 'newLines', 'goneChars', 'comeChars', 'removesLine', 'changes'],
  // How alike its lines are to those of the edit that is repeated, and the lines beside.
  ...['likeBefore', 'likeAfter', 'likeAbove', 'likeBelow'],
  // Of words that are replaced: whether they are a name, or a part of one; between which words they are; how often they
  // are left, and their replacement is there; whether an edit left them.
  ...['isRename', 'isPart', 'sameLeft', 'sameRight', 'oldLeft', 'nowThere', 'staysElsewhere'],
  // Where it is: in a comment, in an import, in a string.
  ...['isComment', 'isImport', 'isString'],
  // What the user is doing: how many edits, how many characters the last one brought, whether a word is being typed;
  // whether an operator or an opening bracket is before the cursor.
  ...['edits', 'newestLines', 'isInsideWord', 'isJustTyped', 'mayContinue', 'isDangling'],
] as const;

export type Evidence = Float64Array;

/** For each candidate, [evidenceNames.length]. */
export function evidenceOf(
  candidates: readonly Candidate[],
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): Evidence[] {
  const context = contextOf(place, lines, changes);
  const groups = new Map<string, Candidate[]>();
  for (const each of candidates) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return candidates.map((each) => {
    const group = groups.get(each.group) ?? [];
    return Float64Array.from([
      ...ofOrigin(each, group),
      ...ofPlace(each, context),
      ...ofSize(each, place),
      ...ofLikeness(each, context),
      ...ofWords(each, context),
      ...ofSurroundings(each, place),
      ...context.ofUser,
    ]);
  });
}

function ofOrigin({ finder, changes, otherWords, votes = 1, start }: Candidate, group: Candidate[]): number[] {
  const nearer = group.findIndex((each) => each.start === start);
  const ages = changes.map(({ age }) => age);
  const [newest, oldest] = [Math.min(...ages), Math.max(...ages)];
  return [finders.indexOf(finder), changes.length, newest, oldest, group.length, nearer, otherWords, votes];
}

function ofPlace({ start }: Candidate, { cursorLine, edited, lineOf }: EvidenceContext): number[] {
  const line = lineOf(start);
  const isPassed = edited.some((each) => each < line) && edited.some((each) => each > line);
  return [Math.abs(line - cursorLine), Number(line > cursorLine), Number(isPassed)];
}

function ofSize(candidate: Candidate, { text }: EditedDocument): number[] {
  const old = text.slice(candidate.start, candidate.end);
  const changes = changesOf(candidate, text);
  const gone = changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const come = changes.reduce((sum, each) => sum + each.text.length, 0);
  const count = (lines: string) => (lines === '' ? 0 : lines.replace(/\n$/, '').split('\n').length);
  const removesLine = candidate.text === '' && old !== '';
  return [count(old), count(candidate.text), gone, come, Number(removesLine), changes.length];
}

function ofLikeness(
  { start, end, text: now, changes }: Candidate,
  { text, lines, lineOf, placeOf }: EvidenceContext,
): number[] {
  const old = text.slice(start, end);
  const like = (of: string, past: (change: PastChange) => string[]) =>
    Math.max(0, ...changes.slice(0, 4).map((change) => similarity(of, past(change).join('\n'))));
  const [change] = changes;
  const [first, last] = [lineOf(start), lineOf(end)];
  const there = change && placeOf(change);
  const beside = (here: number, at: number | undefined) =>
    at === undefined ? -1 : similarity(lines[here]?.text ?? '', lines[at]?.text ?? '');
  return [
    like(old, ({ before }) => before),
    like(now, ({ after }) => after),
    beside(first - 1, there?.above),
    beside(last + 1, there?.below),
  ];
}

function ofWords({ substitution, start, end }: Candidate, { text, counts, history }: EvidenceContext): number[] {
  if (!substitution) return Array.from({ length: 7 }, () => -1);
  const { old, now, places, isPart } = substitution;
  const line = text.slice(start, end);
  const around = occurrencesOf(substitution, line).map((at) => ({
    left: wordBefore(line.slice(0, at)).trim(),
    right: wordBehind(line.slice(at + old.length)).trim(),
  }));
  const isSame = (side: 'left' | 'right') =>
    around.some((here) => here[side] !== '' && places.some((there) => there[side].trim() === here[side]));
  const count = (words: string) =>
    Math.min(
      ...wordsOf(words)
        .filter(isTelling)
        .map((each) => counts.get(each) ?? 0),
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

function ofSurroundings({ start, end }: Candidate, { text }: EditedDocument): number[] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const line = text.slice(lineStart, Math.max(end, text.indexOf('\n', start)));
  return [
    Number(/^\s*(\/\/|\/\*|\*|#(?!\s*(include|define|if))|--|"""|''')/.test(line)),
    Number(importLine.test(line)),
    Number(/["'`]/.test(line)),
  ];
}
