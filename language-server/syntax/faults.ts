// What a grammar cannot make sense of: what does not belong where it is, and what is missing.
import type { TreeCursor } from 'web-tree-sitter';
import type { SyntaxTree } from './syntax-tree.ts';

export interface Fault {
  start: number;
  end: number;
  /** The type of what is missing, such as "}"; null for what does not belong there. */
  missing: string | null;
}

interface Range {
  start: number;
  end: number;
}

/** How many nodes are looked at. A text with more in its broken parts is nothing that somebody writes. */
const maxNodes = 20_000;

const known = new WeakMap<SyntaxTree, readonly Fault[]>();

export function faultsOf(tree: SyntaxTree): readonly Fault[] {
  const faults = known.get(tree) ?? findFaults(tree);
  known.set(tree, faults);
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
    if (!(node.hasError && cursor.gotoFirstChild()) && !goOn(cursor)) break;
  }
  cursor.delete();
  return faults;
}

/** Goes to the next node that is not below this one; false at the end. */
function goOn(cursor: TreeCursor): boolean {
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

/**
 * Whether a text has made its document worse. near: where it is in `after`. In a lenient grammar only what is wrong in its
 * lines counts, in others all of the document.
 */
export function isWorse(before: SyntaxTree, after: SyntaxTree, near: Range): boolean {
  if (!after.grammar.isLenient) return faultsOf(after).length > faultsOf(before).length;
  const was = { start: near.start, end: near.end - (after.text.length - before.text.length) };
  return faultsInLines(after, near) > faultsInLines(before, was);
}

function faultsInLines(tree: SyntaxTree, { start, end }: Range): number {
  const { text } = tree;
  const from = text.lineStart(text.lineAt(start));
  const below = text.lineAt(end) + 1;
  const to = below < text.lineCount ? text.lineStart(below) : text.length;
  return faultsOf(tree).filter((fault) => fault.start < to && fault.end >= from).length;
}

/** How broken a document is: what does not belong there counts twice as much as what is missing. */
export function badness(tree: SyntaxTree): number {
  return faultsOf(tree).reduce((sum, { missing }) => sum + (missing === null ? 2 : 1), 0);
}

export function extentOf(faults: readonly Fault[]): number {
  return faults.reduce((sum, { start, end }) => sum + end - start, 0);
}
