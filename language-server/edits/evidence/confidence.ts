// From evidence to how likely an edit follows.
import { evidenceTrees } from './evidence-trees.ts';
import { logOddsOf } from './trees.ts';

/** The logarithm of the odds, by the evidence alone. */
export function logOdds(evidence: ArrayLike<number>): number {
  return logOddsOf(evidenceTrees, evidence);
}

export function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
