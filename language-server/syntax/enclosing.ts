import type { Node } from 'web-tree-sitter';
import type { SyntaxTree } from './syntax-tree.ts';

/** The innermost function that contains [start, end) and more; null if there is none. */
export function functionAround({ root, grammar }: SyntaxTree, start: number, end: number): Node | null {
  let node = root.descendantForIndex(start, end);
  while (node && !(grammar.functions.has(node.type) && (node.startIndex < start || node.endIndex > end)))
    node = node.parent;
  return node;
}
