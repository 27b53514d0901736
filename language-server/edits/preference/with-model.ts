// How likely an edit is, according to both the evidence and the model.
import { type Evidence, evidenceNames } from '../evidence/evidence.ts';
import { logOddsOf, treesOf } from '../evidence/trees.ts';
import type { InPlaceScores } from './in-place-scores.ts';
import type { Preference } from './preference.ts';
import fittedPreference from './preference-trees.json';

// Beyond this limit, a score says more about rare words than about the edit.
const maxNats = 12;

const limited = (nats: number) => Math.max(-maxNats, Math.min(maxNats, nats));

/** The names of preferenceNumbers, in their order. If one is added, the trees must be fitted again. */
export const preferenceNames = [
  ...['odds', 'logRatio', 'ofNew', 'ofTail', 'inPlace', 'rarestNew', 'rarestOld'],
  ...evidenceNames,
];

const preferenceTrees = treesOf(fittedPreference, preferenceNames);

/** The numbers for the trees. odds: the log-odds that the evidence gives. */
export function preferenceNumbers(
  odds: number,
  evidence: Evidence,
  { logRatio, ofNew, ofTail }: Preference,
  inPlace: InPlaceScores,
): number[] {
  const { rarestNew, rarestOld } = inPlace;
  const scores = [logRatio, ofNew, ofTail, inPlace.logRatio, rarestNew, rarestOld].map(limited);
  return [odds, ...scores, ...evidence];
}

/** The log-odds that the edit follows. odds: the log-odds that the evidence alone gives. */
export function withModel(odds: number, evidence: Evidence, preference: Preference, inPlace: InPlaceScores): number {
  return logOddsOf(preferenceTrees, preferenceNumbers(odds, evidence, preference, inPlace));
}
