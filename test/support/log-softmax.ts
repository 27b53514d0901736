// Probabilities computed the plain way, to compare the engine's with.

/** Natural logarithm of an entry's probability under the softmax of all. */
export function logSoftmax(logits: Float32Array, index: number): number {
  const greatest = logits.reduce((most, logit) => Math.max(most, logit));
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - greatest), 0);
  return (logits[index] ?? Number.NaN) - greatest - Math.log(total);
}

export const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
