// The block that begins at the cursor or above it, if it has no content yet, and the brackets that are open there.
import type { Node } from 'web-tree-sitter';
import type { Surroundings } from '../prompt/text-window.ts';
import { badness } from '../syntax/faults.ts';
import { isValue } from '../syntax/grammars.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { closerOf } from './delimiters.ts';
import type { Code } from './embedded.ts';
import { depthOf, indentationOf, lineBefore } from './indentation.ts';
import { kindOf } from './plain.ts';

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
  for (let before = childrenBefore(root, at), last = before.at(-1); last; last = before.at(-1)) {
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
 * The block without content that is opened right before the cursor or, if the cursor is on a blank line, above it; null
 * if there is none.
 */
export function emptyBlockAt(code: Code, tree: SyntaxTree | null, around: Surroundings, unit: string): Block | null {
  if (!tree) return plainBlockAt(code, around);
  const { linePrefix, linesAbove } = around;
  const [above = '', ...others] = linesAbove;
  const isAbove = linePrefix.trim() === '';
  const before = code.text.slice(Math.max(0, code.offset - 2000), code.offset);
  const at = code.offset - (before.length - before.trimEnd().length);
  if (isAbove ? linePrefix !== '' && depthOf(linePrefix) <= depthOf(above) : at < code.offset) return null;
  const leaf = leafBefore(tree.root, at);
  if (leaf?.endIndex !== at) return null;
  const aroundLeaf = isAbove ? { ...around, linePrefix: above, lineSuffix: '', linesAbove: others } : around;
  return new Opening(tree, code, leaf, aroundLeaf, unit, isAbove).block();
}

/** The same without a tree: only `{` at the end of the cursor's line counts. */
function plainBlockAt({ languageId }: Code, { linePrefix, lineSuffix, linesBelow }: Surroundings): Block | null {
  const [below = ''] = linesBelow;
  const depth = depthOf(linePrefix);
  if (
    kindOf(languageId) !== 'code' ||
    !/[\w)]\s\{$/.test(linePrefix) ||
    lineSuffix.trim() !== '' ||
    depthOf(below) > depth
  )
    return null;
  const isClosed = depthOf(below) === depth && below.trim().startsWith('}');
  return { at: 0, closers: isClosed ? '' : '}', indentation: indentationOf(linePrefix) };
}

/** The leaf node that ends at an offset and may open a block there. */
class Opening {
  private readonly at: number;
  private readonly lineStart: number;
  /** The text to the right of the leaf in its line. */
  private readonly rest: string;
  private readonly indentation: string;

  constructor(
    private readonly tree: SyntaxTree,
    private readonly code: Code,
    private readonly leaf: Node,
    /** The lines around the end of the leaf. */
    private readonly around: Surroundings,
    /** One level of indentation. */
    private readonly unit: string,
    /** Whether the leaf is in a line above the cursor's. */
    private readonly isAbove: boolean,
  ) {
    this.at = leaf.endIndex;
    this.lineStart = this.at - around.linePrefix.length;
    this.rest = around.lineSuffix.trim();
    this.indentation = headIndentation(tree, leaf);
  }

  block(): Block | null {
    const { leaf, rest, indentation, at, tree } = this;
    if (rest === '' && depthOf(this.around.linesBelow[0] ?? '') > depthOf(indentation)) return null;
    if (leaf.type in closerOf) return this.bracketBlock();
    if (leaf.type === '>' && /start_tag|opening_element/.test(leaf.parent?.type ?? '')) return this.elementBlock();
    const isHeadEnd = leaf.isNamed || tree.keywords.has(leaf.text) || headEnd.test(leaf.text);
    if (tree.grammar.closers.length > 0 ? !isHeadEnd : !blockMark.test(leaf.type)) return null;
    // A function in brackets whose body follows its parameters, such as `{ x -> }`.
    const [bracket] = rest.startsWith('}') ? openAt(tree, at) : [];
    if (bracket) return /^(?:->|\|)$/.test(leaf.type) ? { at: bracket.startIndex, closers: '', indentation } : null;
    return rest === '' || /^\)[)\]}]*[;,]?$/.test(rest) ? this.headBlock() : null;
  }

  private closedBy(closers: string): Block {
    return { at: this.leaf.startIndex, closers, indentation: this.indentation };
  }

  /**
   * A block that a bracket opens. If the bracket is in the cursor's line, and the language is not a data format, only a
   * block of statements or members counts.
   */
  private bracketBlock(): Block | null {
    const { tree, at, leaf, rest } = this;
    if (rest !== '' && !rest.startsWith(closerOf[leaf.type] ?? '')) return null;
    const unclosed = openAt(tree, at).filter((each) => !this.isClosed(each));
    if (!this.isAbove && kindOf(this.code.languageId) !== 'data' && !this.isBlock(unclosed[0]?.id === leaf.id))
      return null;
    const closers = unclosed.filter((each) => each.startIndex >= this.lineStart);
    return this.closedBy(closers.map(({ type }) => closerOf[type]).join(''));
  }

  /** Whether a brace opens statements or members. isOpen: the brace must first be closed for parsing to tell. */
  private isBlock(isOpen: boolean): boolean {
    const { startIndex, endIndex, type, parent } = this.leaf;
    if (type !== '{') return false;
    const closed = ({ root }: SyntaxTree) => root.descendantForIndex(startIndex, endIndex)?.parent?.type;
    return !isValue((isOpen ? this.tried('\n}', closed) : parent?.type) ?? '');
  }

  /**
   * An element whose content has lines of its own: the element's name says so, and no element of that name nearby is
   * written in one line.
   */
  private elementBlock(): Block | null {
    const { rest, tree, around } = this;
    const tag = this.leaf.parent;
    const name = tag?.namedChildren[0]?.text ?? '';
    const closer = `</${name}>`;
    if (rest !== '' && !rest.startsWith(closer)) return null;
    const isContainer = /^[A-Z]/.test(name) || tree.grammar.elements?.containers.has(name);
    const isInline = (line: string) => line.trim().startsWith(`<${name}`) && line.includes(closer);
    if (!isContainer || [...around.linesAbove, ...around.linesBelow].some(isInline)) return null;
    const end = tag?.parent?.children.find((child) => child && /^(?:end_tag|jsx_closing_element)$/.test(child.type));
    return this.closedBy(end?.text === closer && !end.isMissing ? '' : closer);
  }

  /**
   * A block without brackets: a statement in the next line would belong to the head, perhaps only if a closing word
   * follows.
   */
  private headBlock(): Block | null {
    const { tree, at, indentation, leaf } = this;
    const { closers, statement } = tree.grammar;
    const body = `\n${indentation}${this.unit}${statement}`;
    const badnessIfBody = (now: SyntaxTree) => (this.isBodyHere(now, at + body.length - 1) ? badness(now) : null);
    const now = badness(tree);
    const bare = (this.rest === '' ? this.tried(body, badnessIfBody) : null) ?? Infinity;
    // If the head ends with a word, the user may still be typing it.
    const isGrowing = leaf.isNamed && /[\p{L}\p{N}_]$/u.test(leaf.text);
    if (isGrowing && bare > now) return null;
    const words = closers.filter((each) => /^\w/.test(each));
    const badnessWith = (word: string) => this.tried(`${body}\n${indentation}${word}`, badness) ?? Infinity;
    const word = words.find((each) => badnessWith(each) < Math.min(bare, now));
    if (word === undefined) return bare <= now ? this.closedBy('') : null;
    return isGrowing ? null : this.closedBy(word);
  }

  /** Whether the statement that ends at `end` is the body of something in the cursor's line. */
  private isBodyHere({ root, grammar, keywords }: SyntaxTree, end: number): boolean {
    const { leaf } = this;
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

  /**
   * Whether the bracket is closed. A closing bracket that begins a line and is indented less than the statement with the
   * opening one belongs to another.
   */
  private isClosed(bracket: Node): boolean {
    const { tree, at } = this;
    const closer = closerOf[bracket.type];
    const { parent } = bracket;
    let own = (parent && parent.childCount > maxChildren ? parent.lastChild : parent?.firstChildForIndex(at)) ?? null;
    while (own && !(own.type === closer && own.startIndex >= at && !own.isMissing)) own = own.nextSibling;
    if (!own || this.code.mend?.hasAdded(own.startIndex)) return false;
    const begin = lineBefore(tree.text, own.startIndex);
    return begin.trim() !== '' || depthOf(begin) >= depthOf(headIndentation(tree, bracket));
  }

  /** What `read` finds in the tree with the text inserted at the offset; null if parsing took too long. */
  private tried<T>(text: string, read: (tree: SyntaxTree) => T): T | null {
    const tree = this.tree.withText(this.at, this.at, text);
    const found = tree && read(tree);
    tree?.delete();
    return found;
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
