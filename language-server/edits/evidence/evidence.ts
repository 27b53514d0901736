// What the last edits and the text say about an edit that may follow: numbers for the fitted trees.

import type { PastChange } from '../history/past-changes.ts';
import { type Candidate, finders } from '../proposals/candidate.ts';
import { isRename, isTelling, occurrencesOf, wordAfter, wordBefore } from '../proposals/substitutions.ts';
import { importLine, type Line, similarity } from '../text/lines.ts';
import { changesOf, type EditedDocument, wordsOf } from '../text/text-edit.ts';
import { contextOf, type EvidenceContext } from './evidence-context.ts';

/** The names of the numbers, in their order. If one is added, the trees must be fitted again. */
export const evidenceNames = [
  // How it was found: by which finder; how often the same was done, and how many edits ago the last and the first time;
  // in how many places it could be done, and how many of these come before it; how many words differ from what was
  // done; how many finders and groups propose it.
  ...['finder', 'times', 'age', 'oldest', 'places', 'nearerPlaces', 'differingWords', 'votes'],
  // How near it is: how many lines from the cursor; whether below it; whether the user has edited both above and below
  // it.
  ...['distance', 'isBelow', 'isPassed'],
  // What it changes: how many lines and how many characters go and come; whether whole lines are removed; how many
  // changes it consists of.
  ...['oldLines', 'newLines', 'goneChars', 'comeChars', 'removesLine', 'changes'],
  // How similar its lines before and after are to those of the change that it repeats, and the lines above and below.
  ...['likeBefore', 'likeAfter', 'likeAbove', 'likeBelow'],
  // If words are replaced (otherwise -1): whether they are a name, or a part of one; whether the words on the left and
  // on the right are the same as where it was done; how often the document has the old words and the new ones; whether
  // a past edit left the old ones in its lines.
  ...['isRename', 'isPart', 'sameLeft', 'sameRight', 'oldLeft', 'nowThere', 'staysElsewhere'],
  // Where it is: in a comment; in an import; in a line with quotation marks.
  ...['isComment', 'isImport', 'isString'],
  // What the user is doing: how many edits there are; how many lines the last one brought; whether the cursor is inside
  // a word; whether it is after one (2: which is nowhere else); whether that may become a longer word that is known;
  // whether an operator or an opening bracket is before the cursor.
  ...['edits', 'lastEditLines', 'isInsideWord', 'isJustTyped', 'mayContinue', 'isDangling'],
] as const;

export type Evidence = Float64Array;

/** For each candidate, one number for each of the evidenceNames. */
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
      ...originNumbers(each, group),
      ...placeNumbers(each, context),
      ...sizeNumbers(each, place),
      ...likenessNumbers(each, context),
      ...wordNumbers(each, context),
      ...surroundingsNumbers(each, place),
      ...context.userNumbers,
    ]);
  });
}

function originNumbers({ finder, changes, differingWords, votes = 1, start }: Candidate, group: Candidate[]): number[] {
  const nearer = group.findIndex((each) => each.start === start);
  const ages = changes.map(({ age }) => age);
  const [newest, oldest] = [Math.min(...ages), Math.max(...ages)];
  return [finders.indexOf(finder), changes.length, newest, oldest, group.length, nearer, differingWords, votes];
}

function placeNumbers({ start }: Candidate, { cursorLine, edited, lineOf }: EvidenceContext): number[] {
  const line = lineOf(start);
  const isPassed = edited.some((each) => each < line) && edited.some((each) => each > line);
  return [Math.abs(line - cursorLine), Number(line > cursorLine), Number(isPassed)];
}

function sizeNumbers(candidate: Candidate, { text }: EditedDocument): number[] {
  const old = text.slice(candidate.start, candidate.end);
  const changes = changesOf(candidate, text);
  const gone = changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const come = changes.reduce((sum, each) => sum + each.text.length, 0);
  const count = (lines: string) => (lines === '' ? 0 : lines.replace(/\n$/, '').split('\n').length);
  const removesLine = candidate.text === '' && old !== '';
  return [count(old), count(candidate.text), gone, come, Number(removesLine), changes.length];
}

function likenessNumbers(
  { start, end, text: now, changes }: Candidate,
  { text, lines, lineOf, linesBeside }: EvidenceContext,
): number[] {
  const old = text.slice(start, end);
  const like = (of: string, past: (change: PastChange) => string[]) =>
    Math.max(0, ...changes.slice(0, 4).map((change) => similarity(of, past(change).join('\n'))));
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

function surroundingsNumbers({ start, end }: Candidate, { text }: EditedDocument): number[] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const line = text.slice(lineStart, Math.max(end, text.indexOf('\n', start)));
  return [
    Number(/^\s*(\/\/|\/\*|\*|#(?!\s*(include|define|if))|--|"""|''')/.test(line)),
    Number(importLine.test(line)),
    Number(/["'`]/.test(line)),
  ];
}
