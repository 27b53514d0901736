// Examples to which the confidence of next edits is fitted: all candidates of each case, labelled by what the commit
// did.

import { type Evidence, evidenceOf } from '../../../language-server/edits/evidence/evidence.ts';
import { pastChanges } from '../../../language-server/edits/history/past-changes.ts';
import type { Candidate } from '../../../language-server/edits/proposals/candidate.ts';
import { candidatesFor } from '../../../language-server/edits/proposals/candidates.ts';
import { linesOf } from '../../../language-server/edits/text/lines.ts';
import type { NextEditCase } from './next-edit-case.ts';
import { isExact } from './next-edit-score.ts';

/** A case with the numbers for fitting. */
export interface CaseExamples {
  repository: string;
  quiet: boolean;
  candidates: Candidate[];
  /** One entry per candidate. */
  numbers: Evidence[];
  isRight: boolean[];
}

export function examplesOf(of: NextEditCase): CaseExamples {
  const [lines, changes] = [linesOf(of.text), pastChanges(of.history)];
  const candidates = candidatesFor(of, lines, changes);
  return {
    repository: of.source?.split('@', 1)[0] ?? '',
    quiet: of.quiet,
    candidates,
    numbers: evidenceOf(candidates, of, lines, changes),
    isRight: candidates.map((edit) => isExact(of, edit)),
  };
}

interface Shown {
  gate: number;
  shown: number;
  quiet: number;
  precision: number;
}

/**
 * Assume that each case shows its surest candidate. Counts the cases shown, from the surest on, as long as enough are
 * right.
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
