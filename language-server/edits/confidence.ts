// From evidence and the model's preference to how likely an edit follows.
import { evidenceTrees } from './evidence-trees.ts';
import type { Preference } from './preference.ts';
import { preferenceTrees } from './preference-trees.ts';
import type { Reading } from './reading-in-place.ts';
import { logOddsOf } from './trees.ts';

/** The logarithm of the odds, by the evidence alone. */
export function logOdds(evidence: ArrayLike<number>): number {
  return logOddsOf(evidenceTrees, evidence);
}

// Beyond these, a ratio says more about rare words than about the edit.
const maxNats = 12;

const limited = (nats: number) => Math.max(-maxNats, Math.min(maxNats, nats));

/** What the odds follow from when a model has been asked: the odds by the evidence, its preference, and how it reads. */
export function preferenceNumbers(odds: number, { logRatio, ofNew, ofTail }: Preference, reading: Reading): number[] {
  const { rarestNew, rarestOld } = reading;
  return [odds, ...[logRatio, ofNew, ofTail, reading.logRatio, rarestNew, rarestOld].map(limited)];
}

/** The logarithm of the odds, with what the model says. */
export function withModel(odds: number, preference: Preference, reading: Reading): number {
  return logOddsOf(preferenceTrees, preferenceNumbers(odds, preference, reading));
}

export function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
