// Boosted decision trees. Each tree asks three questions about some numbers and adds the leaf that it reaches to the
// log-odds. `npm run tool -- fit-next-edit` writes the files *-trees.json.

/**
 * A complete tree of depth 3. Question i (the first is 0) asks: numbers[asked[i]] > above[i]? After "no" comes question
 * 2i + 1, and after "yes" question 2i + 2.
 */
export interface Tree {
  /** [7] */
  asked: number[];
  /** [7] */
  above: number[];
  /** [8], from "no, no, no" to "yes, yes, yes". */
  leaves: number[];
}

export interface Trees {
  bias: number;
  trees: Tree[];
}

export const depth = 3;

/** Trees as a file has them: `asked` has the names of the numbers, and a null in `above` means "no" for any number. */
export interface FittedTrees {
  bias: number;
  trees: { asked: string[]; above: (number | null)[]; leaves: number[] }[];
}

/** Throws if the trees ask for a number that has none of the names: they were fitted to other numbers. */
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

export function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
