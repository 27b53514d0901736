// Chooses the gates: for each situation and level the thresholds with the most characters right less weighted characters
// wrong.
import type { Gate, Level } from '../../../language-server/rules/confidence.ts';
import { type Situation, situations } from '../../../language-server/rules/situation.ts';
import type { Characters } from './play-sessions.ts';

/** What a wrong character costs, in right ones. */
export const weights: Record<Level, number> = { eager: 0.4, balanced: 1, calm: 2.5, strict: 6 };

const lines = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const beginnings = [0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
/** 1 for a beginning: beginnings of lines are never shown there. */
export const grid: Gate[] = lines.flatMap((line) =>
  beginnings.filter((each) => each > line).map((beginning) => ({ line, beginning })),
);

export type SituationGates = Record<Situation, Gate>;

export function evenGates(gate: Gate): SituationGates {
  return Object.fromEntries(situations.map((each) => [each, gate])) as SituationGates;
}

/** One situation after the other, twice, since what is shown at one place decides what is seen at the next. */
export function fitGates(
  from: SituationGates,
  weight: number,
  measure: (gates: SituationGates, changed: Situation) => Characters,
): SituationGates {
  let best = from;
  for (let round = 0; round < 2; round++) {
    for (const situation of situations) {
      const gain = (gate: Gate) => {
        const { right, wrong } = measure({ ...best, [situation]: gate }, situation);
        return right - weight * wrong;
      };
      const gains = grid.map((gate) => ({ gate, gain: gain(gate) }));
      best = { ...best, [situation]: steadiest(gains) };
    }
  }
  return best;
}

/** The best gate, judged together with its neighbours in the grid: a peak of one place is chance. */
function steadiest(gains: { gate: Gate; gain: number }[]): Gate {
  const isNear = (a: Gate, b: Gate) =>
    Math.abs(lines.indexOf(a.line) - lines.indexOf(b.line)) +
      Math.abs(beginnings.indexOf(a.beginning) - beginnings.indexOf(b.beginning)) <=
    1;
  const smooth = gains.map(({ gate, gain }) => {
    const around = gains.filter((other) => other.gate !== gate && isNear(other.gate, gate));
    const mean = around.reduce((sum, other) => sum + other.gain, 0) / Math.max(1, around.length);
    return { gate, gain: gain + mean };
  });
  return smooth.reduce((best, each) => (each.gain > best.gain ? each : best)).gate;
}
