// From evidence and what the model makes of a candidate to how likely the edit follows.
import { logOddsOf } from '../evidence/trees.ts';
import type { Preference } from './preference.ts';
import { preferenceTrees } from './preference-trees.ts';
import type { Reading } from './reading-in-place.ts';

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
