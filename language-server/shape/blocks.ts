// The block that begins at the cursor or above it, if it has no content yet, and the brackets that are open there.
import type { Node } from 'web-tree-sitter';
import type { Surroundings } from '../prompt/text-window.ts';
import { badness } from '../syntax/faults.ts';
import { isValue } from '../syntax/grammars.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { closerOf } from './delimiters.ts';
import { depthOf, indentationOf, lineBefore } from './indentation.ts';
import type { Mend } from './mend.ts';

/** A block without content. */
export interface Block {
  /** The offset of its opening bracket, tag or word. */
  at: number;
  /**
   * What must be inserted to close the block and the brackets around it that were opened in its line; '' if that is
   * nothing, or if all of them are closed already.
   */
  closers: string;
  /** The indentation of the block's head. */
  indentation: string;
}

/** An offset in some code, and what is around it. */
export interface Spot {
  tree: SyntaxTree;
  at: number;
  around: Surroundings;
  /** One level of indentation. */
  unit: string;
  mend: Mend | null;
  /** Whether the code is data, so that each bracket opens a block. */
  isData: boolean;
}

// A block without brackets may begin after these.
const blockMark = /^(?::|=>|->|=)$/;
const maxChildren = 300;
/** In languages with closing words, the head of a block may end with one of these. */
const headEnd = /^(?:[|)\]"'}]|->)$/;

/** The leaf node that ends at the offset or contains the character before it. */
export function leafBefore(root: Node, at: number): Node | null {
  return at === 0 ? null : root.descendantForIndex(at - 1, at);
}

/** The brackets that are open at the offset, innermost first. */
export function openAt({ root }: SyntaxTree, at: number): Node[] {
  const open: Node[] = [];
  let before = childrenBefore(root, at);
  for (let last = before.at(-1); last; last = before.at(-1)) {
    const own: Node[] = [];
    for (const child of before) {
      if (child.type in closerOf && !child.isNamed) own.push(child);
      else if (child.type === closerOf[own.at(-1)?.type ?? ''] && child.endIndex <= at) own.pop();
    }
    open.unshift(...own.reverse());
    before = childrenBefore(last, at);
  }
  return open;
}

/**
 * The children that begin before the offset. A node with very many children is a list: then only its first child, and
 * the last child before the offset.
 */
function childrenBefore(node: Node, at: number): Node[] {
  const isLong = node.childCount > maxChildren;
  const children = isLong ? [node.firstChild, node.firstChildForIndex(at - 1)] : node.children;
  return children.filter((child) => child !== null && child.startIndex < at) as Node[];
}

/**
 * The block without content that is opened right before the offset or, if the offset is on a blank line, above it; null
 * if there is none.
 */
export function emptyBlockAt(spot: Spot): Block | null {
  const { linePrefix, linesAbove } = spot.around;
  if (linePrefix.trim() !== '') return /\S$/.test(linePrefix) ? new Opening(spot, false).block() : null;
  const [above = '', ...others] = linesAbove;
  if (depthOf(linePrefix) <= depthOf(above) && linePrefix !== '') return null;
  const before = spot.tree.text.slice(Math.max(0, spot.at - 2000), spot.at);
  const at = spot.at - (before.length - before.trimEnd().length);
  const around = { ...spot.around, linePrefix: above, lineSuffix: '', linesAbove: others };
  return new Opening({ ...spot, at, around }, true).block();
}

/** The text that ends at an offset and may open a block there. */
class Opening {
  private readonly leaf: Node | null;
  private readonly indentation: string;
  /** The text to the right of the offset in its line. */
  private readonly rest: string;
  private readonly lineStart: number;
  private readonly tree: SyntaxTree;
  private readonly at: number;

  constructor(
    private readonly spot: Spot,
    /** Whether the offset is in a line above the cursor's. */
    private readonly isAbove: boolean,
  ) {
    const { tree, at, around } = spot;
    [this.tree, this.at] = [tree, at];
    this.rest = around.lineSuffix.trim();
    this.lineStart = at - around.linePrefix.length;
    this.leaf = leafBefore(tree.root, at);
    this.indentation = this.leaf ? headIndentation(tree, this.leaf) : '';
  }

  block(): Block | null {
    const { leaf, rest, indentation, at, tree } = this;
    if (!leaf || leaf.endIndex !== at) return null;
    if (rest === '' && depthOf(this.spot.around.linesBelow[0] ?? '') > depthOf(indentation)) return null;
    if (leaf.type in closerOf) return this.bracketBlock(leaf);
    if (leaf.type === '>' && /start_tag|opening_element/.test(leaf.parent?.type ?? '')) return this.elementBlock(leaf);
    const isHeadEnd = leaf.isNamed || tree.keywords.has(leaf.text) || headEnd.test(leaf.text);
    if (tree.grammar.closers.length > 0 ? !isHeadEnd : !blockMark.test(leaf.type)) return null;
    // A function in brackets whose body follows its parameters, such as `{ x -> }`.
    const [bracket] = rest.startsWith('}') ? openAt(tree, at) : [];
    if (bracket) return /^(?:->|\|)$/.test(leaf.type) ? { at: bracket.startIndex, closers: '', indentation } : null;
    return rest === '' || /^\)[)\]}]*[;,]?$/.test(rest) ? this.headBlock(leaf) : null;
  }

  private blockFrom(at: number, closers: string): Block {
    return { at, closers, indentation: this.indentation };
  }

  /**
   * A block that a bracket opens. If the bracket is in the cursor's line, and the language is not a data format, only a
   * block of statements or members counts.
   */
  private bracketBlock(leaf: Node): Block | null {
    const { tree, at, rest, isAbove } = this;
    if (rest !== '' && !rest.startsWith(closerOf[leaf.type] ?? '')) return null;
    const unclosed = openAt(tree, at).filter((each) => !isClosed(each, this.spot));
    const isBlock = leaf.type === '{' && !this.isValue(leaf, unclosed[0]?.id === leaf.id);
    if (!isAbove && !this.spot.isData && !isBlock) return null;
    const closers = unclosed.filter((each) => each.startIndex >= this.lineStart);
    return this.blockFrom(leaf.startIndex, closers.map(({ type }) => closerOf[type]).join(''));
  }

  /** Whether the braces are for values (isValue). isOpen: the brace must first be closed for parsing to tell. */
  private isValue(leaf: Node, isOpen: boolean): boolean {
    if (!isOpen) return isValue(leaf.parent?.type ?? '');
    const probe = this.tree.withText(this.at, this.at, '\n}');
    const type = probe?.root.descendantForIndex(leaf.startIndex, leaf.endIndex)?.parent?.type ?? '';
    probe?.delete();
    return isValue(type);
  }

  /**
   * An element whose content has lines of its own: the element's name says so, and no element of that name nearby is
   * written in one line.
   */
  private elementBlock(leaf: Node): Block | null {
    const { rest, tree, spot } = this;
    const tag = leaf.parent;
    const name = tag?.namedChildren[0]?.text ?? '';
    const closer = `</${name}>`;
    if (rest !== '' && !rest.startsWith(closer)) return null;
    const isContainer = /^[A-Z]/.test(name) || tree.grammar.elements?.containers.has(name);
    const isInline = (line: string) => line.trim().startsWith(`<${name}`) && line.includes(closer);
    if (!isContainer || [...spot.around.linesAbove, ...spot.around.linesBelow].some(isInline)) return null;
    const end = tag?.parent?.children.find((child) => child && /^(?:end_tag|jsx_closing_element)$/.test(child.type));
    return this.blockFrom(leaf.startIndex, end?.text === closer && !end.isMissing ? '' : closer);
  }

  /**
   * A block without brackets: a statement in the next line would belong to the head, perhaps only if a closing word
   * follows.
   */
  private headBlock(leaf: Node): Block | null {
    const { tree, at, indentation, rest } = this;
    const { closers, statement } = tree.grammar;
    const body = `\n${indentation}${this.spot.unit}${statement}`;
    const isBodyHere = (now: SyntaxTree) => this.isBodyHere(now, at + body.length - 1, leaf);
    const now = badness(tree);
    const bare = rest === '' ? this.probe(body, isBodyHere) : Infinity;
    // If the head ends with a word, the user may still be typing it.
    const isGrowing = leaf.isNamed && /[\p{L}\p{N}_]$/u.test(leaf.text);
    if (isGrowing && bare > now) return null;
    const words = closers.filter((each) => /^\w/.test(each));
    const word = words.find((each) => this.probe(`${body}\n${indentation}${each}`) < Math.min(bare, now));
    if (word === undefined) return bare <= now ? this.blockFrom(leaf.startIndex, '') : null;
    return isGrowing ? null : this.blockFrom(leaf.startIndex, word);
  }

  /** Whether the statement that ends at `end` is the body of something in the cursor's line. */
  private isBodyHere({ root, grammar, keywords }: SyntaxTree, end: number, leaf: Node): boolean {
    let node = root.descendantForIndex(end, end + 1);
    while (node?.parent && node.startIndex >= this.at && !grammar.lists.has(node.type)) node = node.parent;
    if (!node) return false;
    if (node.startIndex < this.at) {
      const isHead = (child: Node | null) => child?.startIndex === leaf.startIndex && child.type === leaf.type;
      const followsWord = keywords.has(leaf.type) && node.children.some(isHead);
      return leaf.type === '=>' || (grammar.lists.has(node.type) && (followsWord || this.isHeadOf(node)));
    }
    return node.parent !== null && node.parent.startIndex >= this.lineStart;
  }

  /**
   * Whether a node whose children are statements begins in this line, and the offset is right after its first word and
   * its head, so that its first statement would begin there.
   */
  private isHeadOf({ startIndex, firstChild, firstNamedChild: head }: Node): boolean {
    // Some grammars count the line break after a head as part of it.
    const isBefore = head?.endIndex === this.at || head?.endIndex === this.at + 1;
    return isBefore && firstChild?.isNamed === false && startIndex >= this.lineStart;
  }

  /** The badness of the document with the text inserted at the offset; Infinity if isWanted rejects its tree. */
  private probe(text: string, isWanted: (tree: SyntaxTree) => boolean = () => true): number {
    const tree = this.tree.withText(this.at, this.at, text);
    const badnessWithText = tree !== null && isWanted(tree) ? badness(tree) : Infinity;
    tree?.delete();
    return badnessWithText;
  }
}

/** The indentation of the statement that contains the leaf; the statement may begin on an earlier line. */
function headIndentation({ text, grammar }: SyntaxTree, leaf: Node): string {
  const own = indentationOf(lineBefore(text, leaf.endIndex));
  const owner = leaf.parent?.parent;
  if (!owner?.parent || owner.isError || leaf.parent?.isError) return own;
  const start = grammar.lists.has(owner.type) ? leaf.parent?.startIndex : owner.startIndex;
  return indentationOf(lineBefore(text, (start ?? 0) + 1));
}

/**
 * Whether the bracket is closed. A closing bracket that begins a line and is indented less than the statement with the
 * opening one belongs to another.
 */
function isClosed(bracket: Node, { tree, at, mend }: Spot): boolean {
  const closer = closerOf[bracket.type];
  let own = bracket.parent?.firstChildForIndex(at) ?? null;
  const last = bracket.parent?.lastChild;
  if (bracket.parent && bracket.parent.childCount > maxChildren) own = last ?? null;
  while (own && !(own.type === closer && own.startIndex >= at && !own.isMissing)) own = own.nextSibling;
  if (!own || mend?.hasAdded(own.startIndex)) return false;
  const begin = lineBefore(tree.text, own.startIndex);
  return begin.trim() !== '' || depthOf(begin) >= depthOf(headIndentation(tree, bracket));
}
