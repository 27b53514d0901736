// Compares the tokens of the lines before and after an edit, and sums up their scores.
import { commonEnds } from '../text/text-edit.ts';

export interface TokenDifference {
  /** The common beginning of both texts. */
  common: Uint32Array;
  /** The rest of the text before the edit, up to the first token of the common end. That token is included. */
  before: Uint32Array;
  /** The same of the text after the edit. */
  after: Uint32Array;
}

export function difference(before: Uint32Array, after: Uint32Array): TokenDifference {
  const { head: common, tail } = commonEnds(before, after);
  const rest = (text: Uint32Array) => text.subarray(common, Math.min(text.length, text.length - tail + 1));
  return { common: before.subarray(0, common), before: rest(before), after: rest(after) };
}

export function sumOf(scores: Float32Array | undefined): number {
  return scores?.reduce((sum, score) => sum + score, 0) ?? 0;
}
