// Finds where the declarations, members and statements of a document begin, and the function around a place.
import type { Node } from 'web-tree-sitter';
import type { SyntaxTree } from './syntax-tree.ts';

const maxNodes = 20_000;

/**
 * The rows where the children of lists begin (statements and members, for example), each with its number of rows. A
 * comment directly above belongs to the child. Nodes with fewer than minLines lines are not searched.
 */
export function outlineOf({ root, grammar: { lists } }: SyntaxTree, minLines: number): Map<number, number> {
  const outline = new Map<number, number>();
  const pending = [root];
  let count = 0;
  for (let node = pending.pop(); node && count < maxNodes; node = pending.pop()) {
    const isList = lists.has(node.type);
    let comments: Node[] = [];
    for (const child of node.namedChildren) {
      count++;
      if (child.isExtra) {
        comments = isJustAbove(comments, child) ? [...comments, child] : [child];
        continue;
      }
      if (isList) {
        const first = (isJustAbove(comments, child) ? comments[0] : undefined) ?? child;
        outline.set(first.startPosition.row, child.endPosition.row - first.startPosition.row + 1);
      }
      comments = [];
      if (child.endPosition.row - child.startPosition.row + 1 >= minLines) pending.push(child);
    }
  }
  return outline;
}

function isJustAbove(comments: readonly Node[], { startPosition }: Node): boolean {
  const last = comments.at(-1);
  return last !== undefined && startPosition.row <= last.endPosition.row + 1;
}

/** The innermost function that contains [start, end) and more; null if there is none. */
export function functionAround({ root, grammar }: SyntaxTree, start: number, end: number): Node | null {
  let node = root.descendantForIndex(start, end);
  while (node && !(grammar.functions.has(node.type) && (node.startIndex < start || node.endIndex > end)))
    node = node.parent;
  return node;
}
