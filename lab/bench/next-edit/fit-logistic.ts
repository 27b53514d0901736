// Logistic regression: fits the weights of a few numbers to examples that were right or wrong.

/** numbers: equally many in each example. times: how often the example counts. */
export interface LogisticExample {
  numbers: number[];
  isRight: boolean;
  times: number;
}

/** Keeps all weights but the first near 0 if there are few examples. */
const ridge = 0.05;
const steps = 50;

/** One weight per number, by Newton's method. The log-odds of an example are the sum of its numbers times the weights. */
export function fitLogistic(examples: readonly LogisticExample[], count: number): number[] {
  let weights = new Array<number>(count).fill(0);
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((weight, i) => (i === 0 ? 0 : ridge * weight));
    const curvature: number[][] = weights.map((_, i) => weights.map((_, j) => (i === j ? ridge : 0)));
    for (const { numbers, isRight, times } of examples) {
      const odds = numbers.reduce((sum, each, i) => sum + each * (weights[i] ?? 0), 0);
      const p = 1 / (1 + Math.exp(-odds));
      numbers.forEach((one, i) => {
        gradient[i] = (gradient[i] ?? 0) + times * one * (p - Number(isRight));
        const row = curvature[i] ?? [];
        numbers.forEach((other, j) => {
          row[j] = (row[j] ?? 0) + times * one * other * p * (1 - p);
        });
      });
    }
    const change = solved(curvature, gradient);
    weights = weights.map((weight, i) => weight - (change[i] ?? 0));
  }
  return weights;
}

/** The solution of a symmetric, positive definite system of equations, by elimination. */
function solved(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const size = rows.length;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const factor = i === j ? 0 : (rows[j]?.[i] ?? 0) / (rows[i]?.[i] ?? 1);
      rows[j] = (rows[j] ?? []).map((each, k) => each - factor * (rows[i]?.[k] ?? 0));
    }
  return rows.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}
