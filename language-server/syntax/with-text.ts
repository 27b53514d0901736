// What a document's tree would be with another text at a place.
import type { SyntaxTree } from './syntax-tree.ts';

/** The time that a text may take at once. */
export const budget = { ms: 10 };

/** The caller deletes the tree. null: there was no time for it, or the grammar has failed. */
export function withText(
  base: SyntaxTree,
  start: number,
  end: number,
  inserted: string,
  ms = budget.ms,
): SyntaxTree | null {
  const moved = base.edited(start, end, inserted);
  const parsing = moved.parse();
  const tree = parsing.step(ms);
  parsing.end();
  moved.delete();
  return tree;
}
