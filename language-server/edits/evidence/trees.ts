// Boosted decision trees: each asks three questions of some numbers and adds a leaf to the logarithm of the odds. The
// files *-trees.json are written by `npm run tool -- fit-next-edit`.

/**
 * A complete tree of depth 3. Question i, from 0, asks whether numbers[asked[i]] > above[i]. After "no" comes question
 * 2i + 1, and after "yes" question 2i + 2.
 */
export interface Tree {
  /** For each of the 7 questions, the index of a number. */
  asked: number[];
  /** 7 bounds. */
  above: number[];
  /** For the 8 possible answers, from no, no, no to yes, yes, yes. */
  leaves: number[];
}

export interface Trees {
  bias: number;
  trees: Tree[];
}

export const depth = 3;

/** The trees in a file: with the names of numbers, and with null as the bound if the answer is always no. */
export interface FittedTrees {
  bias: number;
  trees: { asked: string[]; above: (number | null)[]; leaves: number[] }[];
}

/** Throws if the trees ask for a number that is not among the names: they were fitted to others. */
export function treesOf({ bias, trees }: FittedTrees, names: readonly string[]): Trees {
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index < 0) throw new Error(`no number is named ${name}: fit the trees again`);
    return index;
  };
  return {
    bias,
    trees: trees.map(({ asked, above, leaves }) => ({
      asked: asked.map(indexOf),
      above: above.map((bound) => bound ?? Number.POSITIVE_INFINITY),
      leaves,
    })),
  };
}

/** The logarithm of the odds. */
export function logOddsOf({ bias, trees }: Trees, numbers: ArrayLike<number>): number {
  return trees.reduce((sum, tree) => sum + (tree.leaves[leafOf(tree, numbers)] ?? 0), bias);
}

function leafOf({ asked, above }: Tree, numbers: ArrayLike<number>): number {
  let at = 0;
  for (let level = 0; level < depth; level++) {
    const isAbove = (numbers[asked[at] ?? 0] ?? 0) > (above[at] ?? 0);
    at = 2 * at + (isAbove ? 2 : 1);
  }
  return at - (2 ** depth - 1);
}

export function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
