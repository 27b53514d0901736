// How likely a text must be to be shown. Of all figures that the model provides, the joint probability of a line
// separates right lines from wrong ones best. The threshold depends on the model, on the place, and on what the user
// did with the last suggestion: gates.json has the fitted ones (`npm run tool -- gates`).
import type { ModelInfo } from '../../native/index.ts';
import { closersOnly } from './delimiters.ts';
import fitted from './gates.json';
import type { Place } from './place.ts';

/**
 * The kinds of places:
 *   fresh    a blank line
 *   block    an empty block, or an empty pair of brackets on lines of its own
 *   line     after a character that is neither a letter nor a digit
 *   word     after a letter or digit
 *   middle   before something that is more than closing brackets
 *   comment  in a comment
 *   prose    in Markdown and the like
 *   data     in JSON, YAML and the like
 */
export const situations = ['fresh', 'block', 'line', 'word', 'middle', 'comment', 'prose', 'data'] as const;

export type Situation = (typeof situations)[number];

export function situationOf({ kind, within, around, extent, lineBreak }: Place): Situation {
  if (kind !== 'code') return kind;
  if (within === 'comment') return 'comment';
  if (lineBreak !== '') return 'block';
  if (around.lineSuffix.trim() !== '' && !closersOnly.test(around.lineSuffix)) return 'middle';
  if (around.linePrefix.trim() === '') return extent === 'block' ? 'block' : 'fresh';
  return /[\p{L}\p{N}_]$/u.test(around.linePrefix) ? 'word' : 'line';
}

/**
 * The levels, from the one that shows most to the one that shows least. Users can set all but 'strict', which is the
 * next level after 'calm' (see stricter()).
 */
export const levels = ['eager', 'balanced', 'calm', 'strict'] as const;
export type Level = (typeof levels)[number];

export interface Gate {
  /** The minimum joint probability of a text that is shown up to the end of a line. */
  line: number;
  /** The minimum joint probability of the beginning of a line that is shown without the rest. */
  beginning: number;
}

/** For each level and situation: [line, beginning]. */
export type Gates = Record<Level, Record<Situation, number[]>>;

// All sizes of qwen2.5-coder use the gates that were fitted for the 1.5B. Those for other models are a cautious guess:
// a whole line may be less likely than the beginning of one, since that the model ended it is evidence in itself.
const fittedModels: { model: RegExp; gates: Gates }[] = [
  { model: /^Starter Coder v\d/, gates: fitted.starter },
  { model: /qwen-?2\.5[- ]coder/i, gates: fitted.coder },
];
const otherGates: Record<Level, Gate> = {
  eager: { line: 0.02, beginning: 0.3 },
  balanced: { line: 0.05, beginning: 0.4 },
  calm: { line: 0.2, beginning: 0.7 },
  strict: { line: 0.4, beginning: 0.9 },
};

export function gateFor({ name }: Pick<ModelInfo, 'name'>, level: Level, situation: Situation): Gate {
  const gates = fittedModels.find(({ model }) => model.test(name))?.gates;
  if (!gates) return otherGates[level];
  const [line = 1, beginning = 1] = gates[level][situation];
  return { line, beginning };
}

/** The next stricter level, for a line in which the user has rejected a suggestion. */
export function stricter(level: Level): Level {
  return levels[levels.indexOf(level) + 1] ?? 'strict';
}
