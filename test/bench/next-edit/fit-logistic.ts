// Logistic regression with a little shrinkage, by gradient descent on numbers of the same scale.

export interface Weights {
  bias: number;
  weights: number[];
}

const rounds = 400;
const rate = 0.5;
const shrinkage = 1e-3;

export function fitLogistic(rows: readonly number[][], isRight: readonly boolean[]): Weights {
  const width = rows[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, j) => rows.map((row) => row[j] ?? 0));
  const means = columns.map((column) => column.reduce((a, b) => a + b, 0) / column.length);
  const scales = columns.map((column, j) => {
    const variance = column.reduce((sum, each) => sum + (each - (means[j] ?? 0)) ** 2, 0) / column.length;
    return Math.sqrt(variance) || 1;
  });
  const scaled = rows.map((row) => row.map((each, j) => (each - (means[j] ?? 0)) / (scales[j] ?? 1)));
  let bias = 0;
  let weights = Array.from({ length: width }, () => 0);
  for (let round = 0; round < rounds; round++) {
    const slopes = weights.map((weight) => -shrinkage * weight);
    let slope = 0;
    scaled.forEach((row, i) => {
      const odds = row.reduce((sum, each, j) => sum + each * (weights[j] ?? 0), bias);
      const error = (Number(isRight[i]) - 1 / (1 + Math.exp(-odds))) / scaled.length;
      slope += error;
      row.forEach((each, j) => {
        slopes[j] = (slopes[j] ?? 0) + error * each;
      });
    });
    bias += rate * slope;
    weights = weights.map((weight, j) => weight + rate * (slopes[j] ?? 0));
  }
  const unscaled = weights.map((weight, j) => weight / (scales[j] ?? 1));
  return { bias: bias - unscaled.reduce((sum, weight, j) => sum + weight * (means[j] ?? 0), 0), weights: unscaled };
}
