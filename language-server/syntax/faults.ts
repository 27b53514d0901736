// Finds the faults in a tree: code that the grammar does not allow in its place, and punctuation or words that are
// missing.
import type { TreeCursor } from 'web-tree-sitter';
import type { SyntaxTree } from './syntax-tree.ts';

export interface Fault {
  start: number;
  end: number;
  /** The type of the missing node, such as "}"; null: nothing is missing, but [start, end) does not belong there. */
  missing: string | null;
}

interface Range {
  start: number;
  end: number;
}

/** The maximum number of nodes that are examined. The broken parts of a text that people write never have more. */
const maxNodes = 20_000;

const knownFaults = new WeakMap<SyntaxTree, readonly Fault[]>();

export function faultsOf(tree: SyntaxTree): readonly Fault[] {
  const faults = knownFaults.get(tree) ?? findFaults(tree);
  knownFaults.set(tree, faults);
  return faults;
}

function findFaults(tree: SyntaxTree): Fault[] {
  const { root } = tree;
  if (!root.hasError) return [];
  const faults: Fault[] = [];
  const cursor = root.walk();
  for (let count = 0; count < maxNodes; count++) {
    const node = cursor.currentNode;
    if (node.isMissing) faults.push({ start: node.startIndex, end: node.endIndex, missing: node.type });
    else if (node.isError) faults.push({ start: node.startIndex, end: node.endIndex, missing: null });
    if (!(node.hasError && cursor.gotoFirstChild()) && !gotoNextOutside(cursor)) break;
  }
  cursor.delete();
  return faults;
}

/** Goes to the next node that is not below this one; false at the end. */
function gotoNextOutside(cursor: TreeCursor): boolean {
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

/**
 * Whether an edit has added faults. near: the range of the new text in `after`. With a lenient grammar only the faults
 * in the lines of that range count.
 */
export function isWorse(before: SyntaxTree, after: SyntaxTree, near: Range): boolean {
  if (!after.grammar.isLenient) return faultsOf(after).length > faultsOf(before).length;
  const replaced = { start: near.start, end: near.end - (after.text.length - before.text.length) };
  return faultsInLines(after, near) > faultsInLines(before, replaced);
}

function faultsInLines(tree: SyntaxTree, { start, end }: Range): number {
  const { text } = tree;
  const from = text.lineStart(text.lineAt(start));
  const below = text.lineAt(end) + 1;
  const to = below < text.lineCount ? text.lineStart(below) : text.length;
  return faultsOf(tree).filter((fault) => fault.start < to && fault.end >= from).length;
}

/** How broken a document is. What does not belong counts twice as much as what is missing. */
export function badness(tree: SyntaxTree): number {
  return faultsOf(tree).reduce((sum, { missing }) => sum + (missing === null ? 2 : 1), 0);
}

/** How many characters all the faults have together. */
export function extentOf(faults: readonly Fault[]): number {
  return faults.reduce((sum, { start, end }) => sum + end - start, 0);
}
