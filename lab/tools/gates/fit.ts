// Chooses the gates: for each situation and level, the thresholds with the most right characters minus weighted wrong
// ones. A situation has few places, so what is best there is combined with what is best everywhere.
import { type Gate, type Level, type Situation, situations } from '../../../language-server/shape/confidence.ts';
import type { Characters } from './play-sessions.ts';

/** The cost of a wrong character, in right characters. */
export const weights: Record<Level, number> = { eager: 0.4, balanced: 1, calm: 2.5, strict: 6 };

/** How much "everywhere" counts beside the situation itself; with the last value, all situations have the same gate. */
export const shrinkages = [0, 0.5, 1, 2, 4, Number.POSITIVE_INFINITY];

const lines = [0.02, 0.05, 0.1, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85];
const beginnings = [0.3, 0.45, 0.6, 0.75, 0.9, 1];
/** 1 for a beginning means that beginnings of lines are never shown there. */
export const grid: Gate[] = lines.flatMap((line) =>
  beginnings.filter((each) => each > line).map((beginning) => ({ line, beginning })),
);

export type SituationGates = Record<Situation, Gate>;

export function evenGates(gate: Gate): SituationGates {
  return Object.fromEntries(situations.map((each) => [each, gate])) as SituationGates;
}

/**
 * Splits files in two halves and returns a function that tells which half, 0 or 1, a file is in. One half is for
 * fitting, the other for measuring. Places in one file are alike, so all of them are in the same half.
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

/** The gates for each shrinkage. */
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
