// Scores the answers to next-edit cases: a score for each answer, and the figures that `next-edit` reports for all.

import { undoes } from '../../../language-server/edits/history/reversal.ts';
import { changesOf, haveSameResult, type TextEdit } from '../../../language-server/edits/text/text-edit.ts';
import { mean, percentile } from '../../tools/statistics.ts';
import type { NextEditAnswer, NextEditCase } from './next-edit-case.ts';

// Without help, a person presses keys to go to the place, select the old text and type the new text. A shown edit costs
// one key to go there and one to apply it; a wrong one costs one key to dismiss it.
const keysToGo = 2;
const keysToSelect = 1;
const keysToTake = 2;
const keysToDismiss = 1;

export type NextEditScore = ReturnType<typeof scoreOf>;

export type NextEditFigures = ReturnType<typeof figuresOf>;

/** Whether the edit has the same result as one of the expected edits, or as several of them together. */
export function isExact(testCase: NextEditCase, edit: TextEdit): boolean {
  return matchingEdit(testCase, edit) !== undefined;
}

/** The expected edit with the same result; the edit itself if it equals several expected edits together. */
function matchingEdit({ text, expected }: NextEditCase, edit: TextEdit): TextEdit | undefined {
  return (
    expected.find((each) => haveSameResult(text, each, edit)) ??
    (equalsSeveral(text, expected, edit) ? edit : undefined)
  );
}

/** Whether the edit has the same result as at least two expected edits, each of which changes a part of its range. */
function equalsSeveral(text: string, expected: readonly TextEdit[], edit: TextEdit): boolean {
  const inside = expected.filter(({ start, end }) => edit.start <= start && end <= edit.end && start < end);
  // Leaves out the edits of whole hunks, which contain the edits of single lines.
  const smallest = inside.filter(
    (each) => !inside.some((other) => other !== each && each.start <= other.start && other.end <= each.end),
  );
  if (smallest.length < 2) return false;
  const sorted = smallest.toSorted((a, b) => a.start - b.start);
  let [newText, offset] = ['', edit.start];
  for (const each of sorted) {
    if (each.start < offset) return false;
    newText += text.slice(offset, each.start) + each.text;
    offset = each.end;
  }
  return newText + text.slice(offset, edit.end) === edit.text;
}

/** An answer whose probability is below the gate counts as not shown. */
export function scoreOf(testCase: NextEditCase, answer: NextEditAnswer, gate = 0) {
  const edit = (answer.probability ?? 1) >= gate ? answer.edit : null;
  const isHere = edit?.path === testCase.path;
  const matching = isHere ? matchingEdit(testCase, edit) : undefined;
  const historyOfFile = testCase.history.filter(({ path }) => path === testCase.path);
  const wanted = matching ?? testCase.expected[0];
  const byHand = wanted ? keysFor(testCase.text, wanted) : 0;
  const changes = isHere ? changesOf(edit, testCase.text) : [];
  const deleted = changes.flatMap(offsetsOf);
  const onlyDeleted = changes.filter(({ text }) => text.trim() === '').flatMap(offsetsOf);
  const rightlyDeleted = new Set(testCase.expected.flatMap((each) => deletedBy(testCase.text, each)));
  return {
    quiet: testCase.quiet,
    shown: edit !== null,
    exact: matching !== undefined,
    place: isHere && beginsAtExpected(testCase, edit),
    deleted: deleted.length,
    wronglyDeleted: deleted.filter((at) => !rightlyDeleted.has(at)).length,
    deletesWrongly: onlyDeleted.some((at) => !rightlyDeleted.has(at) && testCase.text[at]?.trim() !== ''),
    reversal: isHere && undoes(edit, testCase.text, historyOfFile),
    /** The keys to make the wanted edit without help. */
    byHand,
    /** The keys that the shown edit saves; negative if it only has to be dismissed. */
    saved: matching ? byHand - keysToTake : edit ? -keysToDismiss : 0,
    tokens: answer.tokens,
    ms: answer.ms,
  };
}

/** Fractions are from 0 to 1. A case costs tokens and milliseconds. */
export function figuresOf(scores: NextEditScore[]) {
  const related = scores.filter(({ quiet }) => !quiet);
  const quiet = scores.filter((score) => score.quiet);
  const shown = scores.filter((score) => score.shown);
  const fraction = (scores: NextEditScore[], holds: (score: NextEditScore) => boolean) =>
    mean(scores.map((s) => Number(holds(s))));
  const total = (key: 'deleted' | 'wronglyDeleted' | 'byHand' | 'saved') => scores.reduce((sum, s) => sum + s[key], 0);
  return {
    cases: scores.length,
    /** Fractions of the cases in which an edit is expected. */
    shown: fraction(related, (score) => score.shown),
    exact: fraction(related, (score) => score.exact),
    place: fraction(related, (score) => score.place),
    /** Fractions of the cases in which nothing should be shown. */
    quiet: fraction(quiet, (score) => !score.shown),
    /** Fractions of all shown edits. */
    precision: fraction(shown, (score) => score.exact),
    placePrecision: fraction(shown, (score) => score.place),
    reversals: fraction(shown, (score) => score.reversal),
    /** The fraction of all shown edits that remove some text, without replacing it, that the commit keeps. */
    wrongDeletions: fraction(shown, ({ deletesWrongly }) => deletesWrongly),
    /** Of all characters that the shown edits remove or replace, the fraction that the commit keeps. */
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

/** The keys to make the edit by hand. */
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

/**
 * Whether the first line that the edit changes should change. For an expected insertion, the neighbouring lines count,
 * too, since an insertion can begin on either side of the line feed.
 */
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
