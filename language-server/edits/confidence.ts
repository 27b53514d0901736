// From evidence and the model's preference to how likely an edit follows.
import type { Evidence } from './evidence.ts';

// A logistic regression on the cases that `npm run tool -- edit-cases` cuts out of histories: what each piece of
// evidence adds to the logarithm of the odds, numbers by their binary logarithm.
const weights: Record<keyof Evidence, number> = {
  sameLines: 2.1,
  times: 0.8,
  places: -0.5,
  length: 0.3,
  sameLeft: 0.75,
  sameRight: 0.65,
  isNewest: -0.7,
  isJustTyped: 1.7,
  staysElsewhere: -0.75,
  isRename: 1.4,
};
const bias = -3.8;

/** The logarithm of the odds, by the evidence alone. */
export function logOdds(evidence: Evidence): number {
  const names = Object.keys(weights) as (keyof Evidence)[];
  return names.reduce((sum, name) => sum + weights[name] * featureOf(evidence[name]), bias);
}

function featureOf(value: number | boolean): number {
  return typeof value === 'number' ? Math.log2(value) : Number(value);
}

// The same on the candidates that a model is asked about, with the starter model's answers.
const together = { bias: 0.3, evidence: 0.65, preference: 0.18 };

// Beyond these, a ratio says more about rare words than about the edit.
const mostNats = 12;

/** With the model's log P(new) - log P(old), in nats. */
export function withPreference(odds: number, logRatio: number): number {
  const preference = Math.max(-mostNats, Math.min(mostNats, logRatio));
  return together.bias + together.evidence * odds + together.preference * preference;
}

export function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
