// Compares the answers of two engines. Both quantize activations to int8 but round differently, so all logits differ a
// little. The most likely token may differ only where the logits of the first two tokens differ by less than
// `explained`.
/**
 * A difference of logits that rounding explains. llama.cpp's own distance from exact arithmetic is at most 0.47 with
 * K-quants (test/fixtures/reference), and each of two engines can be that far off in either direction.
 */
export const explained = 1;

export interface RowsCompared {
  positions: number;
  /** The mean and the maximum of |a - b| over all logits. */
  maxDifference: number;
  meanDifference: number;
  /** The standard deviation of a row's logits, as a mean over the rows. */
  spread: number;
  /** The squared error relative to the squared deviation from the row's mean, as a mean over the rows. */
  nmse: number;
  /** The mean Kullback-Leibler divergence of b from a, in nats. */
  divergence: number;
  sameArgmax: number;
  partings: Parting[];
}

/** A place where b's likeliest token differs from a's. */
export interface Parting {
  position: number;
  a: number;
  b: number;
  /** By how much each engine's logit of its own choice exceeds its logit of the other's choice. */
  marginOfA: number;
  marginOfB: number;
}

export const isExplained = ({ marginOfA, marginOfB }: Parting) => marginOfA < explained && marginOfB < explained;

/** Rows of logits, row-major; a is the reference. */
export function compareRows(a: Float32Array, b: Float32Array, vocabulary: number): RowsCompared {
  if (a.length !== b.length || a.length % vocabulary !== 0) throw new Error(`${a.length} and ${b.length} logits`);
  const positions = a.length / vocabulary;
  const sums = { difference: 0, spread: 0, nmse: 0, divergence: 0 };
  const partings: Parting[] = [];
  let maxDifference = 0;
  for (let position = 0; position < positions; position++) {
    const rowA = a.subarray(position * vocabulary, (position + 1) * vocabulary);
    const rowB = b.subarray(position * vocabulary, (position + 1) * vocabulary);
    const row = compareRow(rowA, rowB);
    maxDifference = Math.max(maxDifference, row.maxDifference);
    sums.difference += row.meanDifference;
    sums.spread += row.spread;
    sums.nmse += row.nmse;
    sums.divergence += row.divergence;
    const [best, other] = [argmax(rowA), argmax(rowB)];
    if (best === other) continue;
    const margins = { marginOfA: margin(rowA, best, other), marginOfB: margin(rowB, other, best) };
    partings.push({ position, a: best, b: other, ...margins });
  }
  return {
    positions,
    maxDifference,
    meanDifference: sums.difference / positions,
    spread: sums.spread / positions,
    nmse: sums.nmse / positions,
    divergence: sums.divergence / positions,
    sameArgmax: positions - partings.length,
    partings,
  };
}

function compareRow(a: Float32Array, b: Float32Array) {
  const mean = a.reduce((sum, value) => sum + value, 0) / a.length;
  const [totalA, totalB] = [logSumExp(a), logSumExp(b)];
  let [maxDifference, absolute, squared, deviation, divergence] = [0, 0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? Number.NaN, b[i] ?? Number.NaN];
    const difference = Math.abs(x - y);
    maxDifference = Math.max(maxDifference, difference);
    absolute += difference;
    squared += difference * difference;
    deviation += (x - mean) ** 2;
    divergence += Math.exp(x - totalA) * (x - totalA - (y - totalB));
  }
  return {
    ...{ maxDifference, meanDifference: absolute / a.length, divergence },
    ...{ spread: Math.sqrt(deviation / a.length), nmse: squared / deviation },
  };
}

/** By how much one token's logit exceeds another's. */
export function margin(row: Float32Array, one: number, other: number): number {
  return (row[one] ?? Number.NaN) - (row[other] ?? Number.NaN);
}

export function argmax(row: Float32Array): number {
  let best = 0;
  for (let i = 1; i < row.length; i++) if ((row[i] ?? Number.NaN) > (row[best] ?? Number.NaN)) best = i;
  return best;
}

function logSumExp(row: Float32Array): number {
  const greatest = row[argmax(row)] ?? Number.NaN;
  let sum = 0;
  for (const value of row) sum += Math.exp(value - greatest);
  return greatest + Math.log(sum);
}
