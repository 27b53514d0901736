// Fits boosted trees to examples: each round fits a tree of depth 3 to the errors of the earlier trees.
import { depth, type Tree, type Trees } from '../../../language-server/edits/evidence/trees.ts';

export interface Example {
  numbers: ArrayLike<number>;
  isRight: boolean;
  weight: number;
}

export interface FitOptions {
  trees: number;
  /** Multiplies each leaf's best value: a rate from 0 to 1, so that no single tree decides much. */
  rate: number;
}

const maxBins = 48;
// A leaf's sum of curvatures is its weight. Adding `shrinkage` to it pulls leaves with few examples towards 0.
const shrinkage = 4;
/** No split leaves less weight than this on one side. */
const minWeight = 6;

export function fitTrees(examples: readonly Example[], { trees, rate }: FitOptions): Trees {
  const width = examples[0]?.numbers.length ?? 0;
  const edges = Array.from({ length: width }, (_, feature) =>
    edgesOf(examples.map(({ numbers }) => numbers[feature] ?? 0)),
  );
  const bins = edges.map((edge, feature) =>
    Uint8Array.from(examples, ({ numbers }) => binOf(edge, numbers[feature] ?? 0)),
  );
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  const right = examples.reduce((sum, { weight, isRight }) => sum + (isRight ? weight : 0), 0);
  const bias = Math.log(right / (total - right));
  if (!Number.isFinite(bias)) throw new Error('trees are fitted to examples that are right and to some that are wrong');
  const odds = new Float64Array(examples.length).fill(bias);
  const found: Tree[] = [];
  for (let round = 0; round < trees; round++) {
    const gradients = new Float64Array(examples.length);
    const curvatures = new Float64Array(examples.length);
    examples.forEach(({ isRight, weight }, i) => {
      const p = 1 / (1 + Math.exp(-(odds[i] ?? 0)));
      gradients[i] = weight * (Number(isRight) - p);
      curvatures[i] = weight * p * (1 - p);
    });
    found.push(treeOf({ bins, edges, gradients, curvatures, odds }, rate));
  }
  return { bias: rounded(bias), trees: found };
}

interface Round {
  bins: Uint8Array[];
  edges: number[][];
  gradients: Float64Array;
  curvatures: Float64Array;
  /** One value per example. Fitting a tree adds to each value the leaf that the example reaches. */
  odds: Float64Array;
}

function treeOf(round: Round, rate: number): Tree {
  const { bins, edges, gradients, curvatures, odds } = round;
  const tree: Tree = { asked: [], above: [], leaves: [] };
  let groups = [Uint32Array.from(odds, (_, i) => i)];
  for (let level = 0; level < depth; level++)
    groups = groups.flatMap((group) => {
      const split = bestSplit(round, group);
      const column = bins[split.feature] ?? new Uint8Array();
      tree.asked.push(split.feature);
      tree.above.push(rounded(edges[split.feature]?.[split.bin] ?? Number.MAX_VALUE));
      return [group.filter((i) => (column[i] ?? 0) <= split.bin), group.filter((i) => (column[i] ?? 0) > split.bin)];
    });
  for (const group of groups) {
    const [gradient, curvature] = [gradients, curvatures].map((all) =>
      group.reduce((sum, i) => sum + (all[i] ?? 0), 0),
    );
    const leaf = rounded((rate * (gradient ?? 0)) / ((curvature ?? 0) + shrinkage));
    tree.leaves.push(leaf);
    for (const i of group) odds[i] = (odds[i] ?? 0) + leaf;
  }
  return tree;
}

/** The split with the highest gain. If none has a gain, the split puts all examples on one side. */
function bestSplit({ bins, edges, gradients, curvatures }: Round, group: Uint32Array) {
  let best = { feature: 0, bin: Number.POSITIVE_INFINITY, gain: 0 };
  const gainOf = (gradient: number, curvature: number) => gradient ** 2 / (curvature + shrinkage);
  for (const [feature, column] of bins.entries()) {
    const count = edges[feature]?.length ?? 0;
    const [sums, curves] = [new Float64Array(count + 1), new Float64Array(count + 1)];
    for (const i of group) {
      const bin = column[i] ?? 0;
      sums[bin] = (sums[bin] ?? 0) + (gradients[i] ?? 0);
      curves[bin] = (curves[bin] ?? 0) + (curvatures[i] ?? 0);
    }
    const [sum, curve] = [sums, curves].map((all) => all.reduce((a, b) => a + b, 0)) as [number, number];
    let [left, leftCurve] = [0, 0];
    for (let bin = 0; bin < count; bin++) {
      left += sums[bin] ?? 0;
      leftCurve += curves[bin] ?? 0;
      if (leftCurve < minWeight || curve - leftCurve < minWeight) continue;
      const gain = gainOf(left, leftCurve) + gainOf(sum - left, curve - leftCurve) - gainOf(sum, curve);
      if (gain > best.gain) best = { feature, bin, gain };
    }
  }
  return best;
}

/** The upper edges of the bins, at quantiles of the values: bin i has the values above edge i - 1, up to edge i. */
function edgesOf(values: number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  const edges = new Set<number>();
  for (let i = 1; i < maxBins; i++) edges.add(sorted[Math.floor((i * sorted.length) / maxBins)] ?? 0);
  // Rare high values get bins of their own, too.
  for (const quantile of [0.985, 0.99, 0.995]) edges.add(sorted[Math.floor(quantile * sorted.length)] ?? 0);
  edges.delete(sorted.at(-1) ?? 0);
  return [...edges].map(rounded).sort((a, b) => a - b);
}

function binOf(edges: number[], value: number): number {
  let bin = 0;
  while (bin < edges.length && value > (edges[bin] ?? 0)) bin++;
  return bin;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** The content of a JSON file with the trees, one tree per line. names: the names of an example's numbers. */
export function fittedText({ bias, trees }: Trees, names: readonly string[]): string {
  const lines = trees.map(({ asked, above, leaves }) => {
    const bounds = above.map((bound) => (Number.isFinite(bound) ? bound : null));
    return `    ${JSON.stringify({ asked: asked.map((number) => names[number]), above: bounds, leaves })}`;
  });
  return `{\n  "bias": ${bias},\n  "trees": [\n${lines.join(',\n')}\n  ]\n}\n`;
}
