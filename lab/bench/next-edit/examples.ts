// Makes the examples to which the confidence of next edits is fitted: all candidates of each case, labelled as right or
// wrong according to the commit.

import { type Evidence, evidenceOf } from '../../../language-server/edits/evidence/evidence.ts';
import { pastChanges } from '../../../language-server/edits/history/past-changes.ts';
import type { Candidate } from '../../../language-server/edits/proposals/candidate.ts';
import { candidatesFor } from '../../../language-server/edits/proposals/candidates.ts';
import { linesOf } from '../../../language-server/edits/text/lines.ts';
import type { NextEditCase } from './next-edit-case.ts';
import { isExact } from './next-edit-score.ts';

/** A case's candidates with their evidence and labels. */
export interface CaseExamples {
  repository: string;
  quiet: boolean;
  candidates: Candidate[];
  /** Each candidate's evidence. */
  numbers: Evidence[];
  /** For each candidate, whether it is an expected edit. */
  isRight: boolean[];
}

export function examplesOf(testCase: NextEditCase): CaseExamples {
  const [lines, changes] = [linesOf(testCase.text), pastChanges(testCase.history)];
  const candidates = candidatesFor(testCase, lines, changes);
  return {
    repository: testCase.source?.split('@', 1)[0] ?? '',
    quiet: testCase.quiet,
    candidates,
    numbers: evidenceOf(candidates, testCase, lines, changes),
    isRight: candidates.map((edit) => isExact(testCase, edit)),
  };
}

/** Fractions and probabilities. */
interface Shown {
  /** Only candidates that are at least this probable are shown. */
  gate: number;
  /** Of the cases in which an edit is expected, the fraction that shows one. */
  shown: number;
  /** Of the cases in which nothing should be shown, the fraction that shows nothing. */
  quiet: number;
  /** Of the shown candidates, the fraction that is right. */
  precision: number;
}

/**
 * The figures of the lowest gate that reaches this precision, if each case shows its most likely candidate. odds: the
 * logarithmic odds of each case's candidates.
 */
export function shownAt(cases: readonly CaseExamples[], odds: readonly number[][], precision: number): Shown {
  const surest = cases.flatMap(({ quiet, isRight }, i) => {
    const all = odds[i] ?? [];
    const best = all.reduce((at, each, j) => (each > (all[at] ?? Number.NEGATIVE_INFINITY) ? j : at), 0);
    return all.length === 0 ? [] : [{ odds: all[best] ?? 0, quiet, isRight: isRight[best] === true }];
  });
  const related = Math.max(1, cases.filter(({ quiet }) => !quiet).length);
  const quietCases = Math.max(1, cases.length - related);
  let [shown, loud, right] = [0, 0, 0];
  let found: Shown = { gate: 1, shown: 0, quiet: 1, precision: 0 };
  for (const each of surest.sort((a, b) => b.odds - a.odds)) {
    if (each.quiet) loud++;
    else shown++;
    right += Number(each.isRight);
    const share = right / (shown + loud);
    const gate = 1 / (1 + Math.exp(-each.odds));
    if (share >= precision && shown >= 10)
      found = { gate, shown: shown / related, quiet: 1 - loud / quietCases, precision: share };
  }
  return found;
}
