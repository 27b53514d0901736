// Tokens of lines before and after an edit, and the sum of their scores.
import { commonEnds } from '../text/text-edit.ts';

export interface TokenDifference {
  /** The tokens that both begin with. */
  common: Uint32Array;
  /** The tokens after those, up to and including the first one of the common end. */
  before: Uint32Array;
  after: Uint32Array;
}

export function difference(before: Uint32Array, after: Uint32Array): TokenDifference {
  const { head: common, tail } = commonEnds(before, after);
  const rest = (text: Uint32Array) => text.subarray(common, Math.min(text.length, text.length - tail + 1));
  return { common: before.subarray(0, common), before: rest(before), after: rest(after) };
}

export function sumOf(scores: Float32Array | undefined): number {
  return scores?.reduce((sum, each) => sum + each, 0) ?? 0;
}
