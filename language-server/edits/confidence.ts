// From evidence and the model's preference to how likely an edit follows.
import { evidenceTrees } from './evidence-trees.ts';
import type { Preference } from './preference.ts';
import { preferenceBias, preferenceWeights } from './preference-weights.ts';
import { logOddsOf } from './trees.ts';

/** The logarithm of the odds, by the evidence alone. */
export function logOdds(evidence: ArrayLike<number>): number {
  return logOddsOf(evidenceTrees, evidence);
}

// Beyond these, a ratio says more about rare words than about the edit.
const maxNats = 12;

/** What the odds follow from when a model has been asked: the odds by the evidence, and its preference. */
export function preferenceNumbers(odds: number, { logRatio, ofNew, ofTail }: Preference): number[] {
  return [odds, Math.max(-maxNats, Math.min(maxNats, logRatio)), ofNew, Math.max(-maxNats, ofTail)];
}

/** The logarithm of the odds, with the model's preference. */
export function withPreference(odds: number, preference: Preference): number {
  return preferenceNumbers(odds, preference).reduce(
    (sum, each, i) => sum + each * (preferenceWeights[i] ?? 0),
    preferenceBias,
  );
}

export function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
