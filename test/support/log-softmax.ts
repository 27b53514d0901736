// Computes probabilities in the simplest way, to compare them with the engine's.

/** The natural logarithm of an entry's probability in the softmax over all entries. */
export function logSoftmax(logits: Float32Array, index: number): number {
  const greatest = logits.reduce((most, logit) => Math.max(most, logit));
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - greatest), 0);
  return (logits[index] ?? Number.NaN) - greatest - Math.log(total);
}

export const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
