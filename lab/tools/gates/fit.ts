// Chooses the gates: for each situation and level, the thresholds with the highest gain, which is the number of right
// characters minus the weighted number of wrong ones. A situation has few places, so its own gain is combined with the
// gain over all situations.
import { type Gate, type Level, type Situation, situations } from '../../../language-server/shape/confidence.ts';
import type { Characters } from './play-sessions.ts';

/** How many right characters outweigh one wrong character. */
export const weights: Record<Level, number> = { eager: 0.4, balanced: 1, calm: 2.5, strict: 6 };

/** The weights to try for the gain over all situations. With the last one, all situations get the same gate. */
export const shrinkages = [0, 0.5, 1, 2, 4, Number.POSITIVE_INFINITY];

const lines = [0.02, 0.05, 0.1, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85];
const beginnings = [0.3, 0.45, 0.6, 0.75, 0.9, 1];
/** The gates to try. With `beginning: 1`, the beginning of a line is never shown alone. */
export const grid: Gate[] = lines.flatMap((line) =>
  beginnings.filter((each) => each > line).map((beginning) => ({ line, beginning })),
);

export type SituationGates = Record<Situation, Gate>;

/** The same gate for all situations. */
export function evenGates(gate: Gate): SituationGates {
  return Object.fromEntries(situations.map((each) => [each, gate])) as SituationGates;
}

/**
 * Splits files into two halves, one for fitting and one for measuring. Returns a function that says which half, 0 or 1,
 * a file is in. Places in one file are alike, so all of them are in the same half.
 */
export function splitInHalves(paths: readonly string[]): (path: string) => number {
  const halves = new Map([...new Set(paths)].map((path, i) => [path, i % 2]));
  return (path) => halves.get(path) ?? 0;
}

export interface Measured {
  gain(gates: SituationGates): number;
  /** The fraction of all places that belong to this situation. */
  shareOf(situation: Situation): number;
}

/** The gain for a sum of characters. */
export function gainOf({ right, wrong }: Characters, weight: number): number {
  return right - weight * wrong;
}

/** The best gates for each of the shrinkages. */
export function fitGates({ gain, shareOf }: Measured): SituationGates[] {
  const even = grid.map((gate) => ({ gate, gain: gain(evenGates(gate)) }));
  const everywhere = best(even);
  const own = situations.map((situation) => ({
    situation,
    gains: grid.map((gate) => gain({ ...evenGates(everywhere), [situation]: gate })),
  }));
  return shrinkages.map((shrinkage) => {
    if (shrinkage === Number.POSITIVE_INFINITY) return evenGates(everywhere);
    const chosen = own.map(({ situation, gains }) => {
      const scores = even.map((each, i) => ({
        gate: each.gate,
        gain: (gains[i] ?? 0) + shrinkage * shareOf(situation) * each.gain,
      }));
      return [situation, best(scores)];
    });
    return Object.fromEntries(chosen) as SituationGates;
  });
}

function best(gains: { gate: Gate; gain: number }[]): Gate {
  return gains.reduce((most, each) => (each.gain > most.gain ? each : most)).gate;
}
