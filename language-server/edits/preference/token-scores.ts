// Tokens of lines before and after an edit, and the sum of their scores.

export interface TokenDifference {
  /** What both begin with. */
  common: Uint32Array;
  /** The rest, up to the first token of what both end with. */
  before: Uint32Array;
  after: Uint32Array;
}

export function difference(before: Uint32Array, after: Uint32Array): TokenDifference {
  let common = 0;
  while (common < before.length && common < after.length && before[common] === after[common]) common++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - common;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const rest = (text: Uint32Array) => text.subarray(common, Math.min(text.length, text.length - tail + 1));
  return { common: before.subarray(0, common), before: rest(before), after: rest(after) };
}

export function sumOf(scores: Float32Array | undefined): number {
  return scores?.reduce((sum, each) => sum + each, 0) ?? 0;
}
