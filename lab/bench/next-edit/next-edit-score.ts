// The figures of `next-edit`: a score for each case, and their totals.

import { undoes } from '../../../language-server/edits/history/reversal.ts';
import { changesOf, comesToTheSame, type TextEdit } from '../../../language-server/edits/text/text-edit.ts';
import { mean, percentile } from '../../tools/statistics.ts';
import type { NextEditAnswer, NextEditCase } from './next-edit-case.ts';

// The keys that a person must press without help: go to the place, select the old text, type the new text. A shown edit
// costs one key to go there and one to apply it, and one to dismiss it if it is wrong.
const keysToGo = 2;
const keysToSelect = 1;
const keysToTake = 2;
const keysToDismiss = 1;

export type NextEditScore = ReturnType<typeof scoreOf>;

export type NextEditFigures = ReturnType<typeof figuresOf>;

/** Whether the edit has the same result as one of the expected edits, or as several of them together. */
export function isExact(testCase: NextEditCase, edit: TextEdit): boolean {
  return reachedBy(testCase, edit) !== undefined;
}

function reachedBy({ text, expected }: NextEditCase, edit: TextEdit): TextEdit | undefined {
  return (
    expected.find((each) => comesToTheSame(text, each, edit)) ??
    (comesToSeveral(text, expected, edit) ? edit : undefined)
  );
}

/** Whether one edit changes several lines that are expected one by one. */
function comesToSeveral(text: string, expected: readonly TextEdit[], edit: TextEdit): boolean {
  const inside = expected.filter(({ start, end }) => edit.start <= start && end <= edit.end && start < end);
  const apart = inside.filter(
    (each) => !inside.some((other) => other !== each && each.start <= other.start && other.end <= each.end),
  );
  if (apart.length < 2) return false;
  const sorted = apart.toSorted((a, b) => a.start - b.start);
  let [now, at] = ['', edit.start];
  for (const each of sorted) {
    if (each.start < at) return false;
    now += text.slice(at, each.start) + each.text;
    at = each.end;
  }
  return now + text.slice(at, edit.end) === edit.text;
}

/** An answer less sure than the gate counts as not shown. */
export function scoreOf(testCase: NextEditCase, answer: NextEditAnswer, gate = 0) {
  const edit = (answer.probability ?? 1) >= gate ? answer.edit : null;
  const isHere = edit?.path === testCase.path;
  const reached = isHere ? reachedBy(testCase, edit) : undefined;
  const pastHere = testCase.history.filter(({ path }) => path === testCase.path);
  const wanted = reached ?? testCase.expected[0];
  const byHand = wanted ? keysFor(testCase.text, wanted) : 0;
  const changes = isHere ? changesOf(edit, testCase.text) : [];
  const deleted = changes.flatMap(offsetsOf);
  const onlyDeleted = changes.filter(({ text }) => text.trim() === '').flatMap(offsetsOf);
  const mayGo = new Set(testCase.expected.flatMap((each) => deletedBy(testCase.text, each)));
  return {
    quiet: testCase.quiet,
    shown: edit !== null,
    exact: reached !== undefined,
    place: isHere && beginsAtExpected(testCase, edit),
    deleted: deleted.length,
    wronglyDeleted: deleted.filter((at) => !mayGo.has(at)).length,
    deletesWrongly: onlyDeleted.some((at) => !mayGo.has(at) && testCase.text[at]?.trim() !== ''),
    reversal: isHere && undoes(edit, testCase.text, pastHere),
    byHand,
    saved: reached ? byHand - keysToTake : edit ? -keysToDismiss : 0,
    tokens: answer.tokens,
    ms: answer.ms,
  };
}

/** Fractions from 0 to 1, and the costs of a question. */
export function figuresOf(scores: NextEditScore[]) {
  const related = scores.filter(({ quiet }) => !quiet);
  const quiet = scores.filter((score) => score.quiet);
  const shown = scores.filter((score) => score.shown);
  const share = (scores: NextEditScore[], holds: (score: NextEditScore) => boolean) =>
    mean(scores.map((s) => Number(holds(s))));
  const total = (key: 'deleted' | 'wronglyDeleted' | 'byHand' | 'saved') => scores.reduce((sum, s) => sum + s[key], 0);
  return {
    cases: scores.length,
    /** Fractions of the cases in which an edit is expected. */
    shown: share(related, (score) => score.shown),
    exact: share(related, (score) => score.exact),
    place: share(related, (score) => score.place),
    /** Fractions of the cases in which nothing should be shown. */
    quiet: share(quiet, (score) => !score.shown),
    /** Fractions of everything shown. */
    precision: share(shown, (score) => score.exact),
    placePrecision: share(shown, (score) => score.place),
    reversals: share(shown, (score) => score.reversal),
    /** The fraction of everything shown that only removes text, which the commit keeps. */
    wrongDeletions: share(shown, ({ deletesWrongly }) => deletesWrongly),
    /**
     * The fraction of the characters removed by shown edits that the commit keeps, including those of replaced words.
     */
    wronglyDeleted: total('wronglyDeleted') / Math.max(1, total('deleted')),
    keystrokesSaved: total('saved'),
    savedShare: total('saved') / Math.max(1, total('byHand')),
    tokensPerCase: mean(scores.map(({ tokens }) => tokens)),
    msP50: percentile(
      scores.map(({ ms }) => ms),
      0.5,
    ),
    msP95: percentile(
      scores.map(({ ms }) => ms),
      0.95,
    ),
  };
}

function keysFor(text: string, edit: TextEdit): number {
  return changesOf(edit, text).reduce(
    (sum, { start, end, text: typed }) => sum + keysToGo + (end > start ? keysToSelect : 0) + typed.length,
    0,
  );
}

/** The offsets of the characters that an edit removes. */
function deletedBy(text: string, edit: TextEdit): number[] {
  return changesOf(edit, text).flatMap(offsetsOf);
}

function offsetsOf({ start, end }: TextEdit): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

/** Whether the first changed line is one that should change; an insertion may begin on either side of the line feed. */
function beginsAtExpected({ text, expected }: NextEditCase, edit: TextEdit): boolean {
  const first = changesOf(edit, text)[0];
  if (!first) return false;
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const line = lineAt(first.start);
  return expected.some((each) => {
    const changes = changesOf(each, text);
    const [begin, end] = [changes[0], changes.at(-1)];
    if (!begin || !end) return false;
    const slack = each.start === each.end ? 1 : 0;
    return line >= lineAt(begin.start) - slack && line <= lineAt(end.end);
  });
}
