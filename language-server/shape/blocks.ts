// The block that begins at the cursor or above it, if it has no content yet, and the brackets that are open there.
import type { Node } from 'web-tree-sitter';
import type { Surroundings } from '../prompt/text-window.ts';
import { badness } from '../syntax/faults.ts';
import { isValue } from '../syntax/node-types.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { depthOf, indentationOf, lineBefore } from './indentation.ts';
import { closerOf } from './signs.ts';

/** A block without content. */
export interface Block {
  /** Where what opens it begins. */
  at: number;
  /** What closes it, with the brackets of its line around it; '' if nothing does or if it is closed already. */
  closers: string;
  indentation: string;
}

/** Where closers are that the document lacks. */
export interface Lent {
  start: number;
  end: number;
}

// What a block may begin behind, where it has no brackets.
const mark = /^(?::|=>|->|=)$/;
const maxChildren = 300;
const headEnd = /^(?:[|)\]"'}]|->)$/;

/** The node without children in front of the offset. */
export function leafBefore(root: Node, at: number): Node | null {
  return at === 0 ? null : root.descendantForIndex(at - 1, at);
}

/** The brackets that are open at the offset, innermost first. */
export function openAt({ root, text }: SyntaxTree, at: number): Node[] {
  const open: Node[] = [];
  const goesOn = (node: Node) => node.hasError && text.slice(node.endIndex, at).trim() === '';
  for (let node: Node | undefined = root; node; ) {
    const before = childrenBefore(node, at);
    const own: Node[] = [];
    for (const child of before) {
      if (child.type in closerOf && !child.isNamed) own.push(child);
      else if (child.type === closerOf[own.at(-1)?.type ?? ''] && child.endIndex <= at) own.pop();
    }
    open.unshift(...own.reverse());
    const last: Node | undefined = before.at(-1);
    node = last && (last.endIndex > at || goesOn(last)) ? last : undefined;
  }
  return open;
}

/** Of a node with many children, which is a list, only the first and the last one. */
function childrenBefore(node: Node, at: number): Node[] {
  const isLong = node.childCount > maxChildren;
  const children = isLong ? [node.firstChild, node.firstChildForIndex(at - 1)] : node.children;
  return children.filter((child) => child !== null && child.startIndex < at) as Node[];
}

/** The block that begins right before the offset; null if none does, or if it has content. */
export function blockAt(tree: SyntaxTree, at: number, around: Surroundings, unit: string, lent: Lent): Block | null {
  const { linePrefix, lineSuffix } = around;
  if (linePrefix.trim() === '' || /\s$/.test(linePrefix)) return null;
  return new Opening(tree, at, linePrefix, lineSuffix.trim(), around, unit, lent, false).block();
}

/** The block whose first line is the blank one of the offset; null if there is none, or if it has content. */
export function blockAbove(tree: SyntaxTree, at: number, around: Surroundings, unit: string, lent: Lent): Block | null {
  const { linePrefix, linesAbove } = around;
  const [above = ''] = linesAbove;
  if (depthOf(linePrefix) <= depthOf(above) && linePrefix !== '') return null;
  const before = tree.text.slice(Math.max(0, at - 2000), at);
  const end = at - (before.length - before.trimEnd().length);
  return new Opening(tree, end, above, '', { ...around, linesAbove: linesAbove.slice(1) }, unit, lent, true).block();
}

/** What may open a block at the end of a line. */
class Opening {
  private readonly leaf: Node | null;
  private readonly indentation: string;

  constructor(
    private readonly tree: SyntaxTree,
    private readonly at: number,
    private readonly line: string,
    private readonly rest: string,
    private readonly around: Surroundings,
    private readonly unit: string,
    private readonly lent: Lent,
    private readonly isAbove: boolean,
  ) {
    this.leaf = leafBefore(tree.root, at);
    this.indentation = this.leaf ? headIndentation(tree, this.leaf) : '';
  }

  block(): Block | null {
    const { leaf, rest, indentation, at, tree } = this;
    if (!leaf || leaf.endIndex !== at) return null;
    if (rest === '' && depthOf(this.around.linesBelow[0] ?? '') > depthOf(indentation)) return null;
    if (leaf.type in closerOf) return this.bracketed(leaf);
    if (leaf.type === '>' && /start_tag|opening_element/.test(leaf.parent?.type ?? '')) return this.tagged(leaf);
    const isHeadEnd = leaf.isNamed || tree.keywords.has(leaf.text) || headEnd.test(leaf.text);
    if (tree.grammar.closers.length > 0 ? !isHeadEnd : !mark.test(leaf.type)) return null;
    // Behind its parameters, the body of a function in brackets.
    const [bracket] = rest === '' ? [] : openAt(tree, at);
    if (bracket && rest.startsWith('}') && bracket.startIndex > at - this.line.length)
      return /^(?:->|\|)$/.test(leaf.type) ? { at: bracket.startIndex, closers: '', indentation } : null;
    return rest === '' || /^\)[)\]}]*[;,]?$/.test(rest) ? this.headed(leaf) : null;
  }

  private found(at: number, closers: string): Block {
    return { at, closers, indentation: this.indentation };
  }

  /** With a bracket: a block of statements or members only, but for lines of its own and for data. */
  private bracketed(leaf: Node): Block | null {
    const { tree, at, rest, isAbove } = this;
    if (rest !== '' && !rest.startsWith(closerOf[leaf.type] ?? '')) return null;
    const unclosed = openAt(tree, at).filter((each) => !isClosed(tree, each, at, this.lent));
    const isOpen = unclosed[0]?.id === leaf.id;
    const isBlock = leaf.type === '{' && !this.isValue(leaf, isOpen && rest === '');
    if (!isAbove && !tree.grammar.isData && !isBlock) return null;
    const lineStart = at - this.line.length;
    const closers = isOpen ? unclosed.filter((each) => each.startIndex >= lineStart) : [];
    return this.found(leaf.startIndex, closers.map(({ type }) => closerOf[type]).join(''));
  }

  private isValue(leaf: Node, isOpen: boolean): boolean {
    if (!isOpen) return isValue(leaf.parent?.type ?? '');
    const probe = this.tree.withText(this.at, this.at, '\n}');
    const type = probe?.root.descendantForIndex(leaf.startIndex, leaf.endIndex)?.parent?.type ?? '';
    probe?.delete();
    return isValue(type);
  }

  /** An element whose content stands on lines of its own: its tag says so, and no element of that kind beside it. */
  private tagged(leaf: Node): Block | null {
    const { rest, tree, around } = this;
    const tag = leaf.parent;
    const name = tag?.namedChildren[0]?.text ?? '';
    const closer = `</${name}>`;
    if (rest !== '' && !rest.startsWith(closer)) return null;
    const isContainer = /^[A-Z]/.test(name) || tree.grammar.elements?.containers.has(name);
    const isInline = (line: string) => line.trim().startsWith(`<${name}`) && line.includes(closer);
    if (!isContainer || [...around.linesAbove, ...around.linesBelow].some(isInline)) return null;
    const end = tag?.parent?.children.find((child) => child && /^(?:end_tag|jsx_closing_element)$/.test(child.type));
    return this.found(leaf.startIndex, end?.text === closer && !end.isMissing ? '' : closer);
  }

  /** Behind the head of a block: a statement on the next line would belong to it, or does with the word that ends it. */
  private headed(leaf: Node): Block | null {
    const { tree, at, indentation, unit, rest } = this;
    const { closers, statement } = tree.grammar;
    const body = `\n${indentation}${unit}${statement}`;
    const holds = (now: SyntaxTree) => this.holds(now, at + body.length - 1, leaf);
    const now = badness(tree);
    const bare = rest === '' ? this.probe(body, holds) : Infinity;
    // Where a head has no mark at its end, its last word may be one that is still being typed.
    const isGrowing = closers.length > 0 && leaf.isNamed && /[\p{L}\p{N}_]$/u.test(leaf.text);
    if (isGrowing && bare > now) return null;
    const words = closers.filter((each) => /^\w/.test(each));
    const word = words.find((each) => this.probe(`${body}\n${indentation}${each}`) < Math.min(bare, now));
    if (word !== undefined) return isGrowing ? null : this.found(leaf.startIndex, word);
    return bare <= now ? this.found(leaf.startIndex, '') : null;
  }

  /** Whether the statement that ends there is the body of something in the cursor's line. */
  private holds({ root, grammar, keywords }: SyntaxTree, end: number, leaf: Node): boolean {
    let node = root.descendantForIndex(end, end + 1);
    while (node?.parent && node.startIndex >= this.at && !grammar.lists.has(node.type)) node = node.parent;
    if (!node) return false;
    if (node.startIndex < this.at) {
      const isHead = (child: Node | null) => child?.startIndex === leaf.startIndex && child.type === leaf.type;
      const isBehindWord = keywords.has(leaf.type) && node.children.some(isHead);
      return leaf.type === '=>' || (grammar.lists.has(node.type) && (isBehindWord || this.isHeadOf(node)));
    }
    return node.parent !== null && node.parent.startIndex >= this.at - this.line.length;
  }

  /** Whether the offset is behind the first word and the head of a node that holds its statements directly. */
  private isHeadOf({ startIndex, firstChild, firstNamedChild: head }: Node): boolean {
    // To some heads belongs the line break behind them.
    const isBefore = head?.endIndex === this.at || head?.endIndex === this.at + 1;
    return isBefore && firstChild?.isNamed === false && startIndex >= this.at - this.line.length;
  }

  /** How bad the document would be with the text; infinitely so if that is not as wanted. */
  private probe(text: string, isWanted: (tree: SyntaxTree) => boolean = () => true): number {
    const tree = this.tree.withText(this.at, this.at, text);
    const found = tree !== null && isWanted(tree) ? badness(tree) : Infinity;
    tree?.delete();
    return found;
  }
}

/** The indentation of the statement that a leaf belongs to, which may begin above its line. */
function headIndentation({ text, grammar }: SyntaxTree, leaf: Node): string {
  const own = indentationOf(lineBefore(text, leaf.endIndex));
  const owner = leaf.parent?.parent;
  if (!owner?.parent || owner.isError || leaf.parent?.isError) return own;
  const start = grammar.lists.has(owner.type) ? leaf.parent?.startIndex : owner.startIndex;
  const head = indentationOf(lineBefore(text, (start ?? 0) + 1));
  return depthOf(head) < depthOf(own) ? head : own;
}

/** Whether a bracket has its partner, which is no less indented than the line that begins there. */
function isClosed(tree: SyntaxTree, bracket: Node, at: number, lent: Lent): boolean {
  const closer = closerOf[bracket.type];
  let own = bracket.parent?.firstChildForIndex(at) ?? null;
  const last = bracket.parent?.lastChild;
  if (bracket.parent && bracket.parent.childCount > maxChildren) own = last ?? null;
  while (own && !(own.type === closer && own.startIndex >= at && !own.isMissing)) own = own.nextSibling;
  if (!own || (own.startIndex >= lent.start && own.startIndex < lent.end)) return false;
  const begin = lineBefore(tree.text, own.startIndex);
  return begin.trim() !== '' || depthOf(begin) >= depthOf(headIndentation(tree, bracket));
}
