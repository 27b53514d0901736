// Whether a text that adds no fault is complete, and leaves the code around it as it is.
import type { Node } from 'web-tree-sitter';
import { isAttribute, isComment, isName } from '../syntax/grammars.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { closersOnly } from './delimiters.ts';
import { depthOf, filledLines, lineBefore } from './indentation.ts';
import type { Trial } from './trial.ts';

/**
 * How well a text fits:
 *   'fits'
 *   'exceeds'  it is more than the place allows, but makes a broken document sound
 *   'many'     it is more than the place allows
 *   'open'     it adds a fault or is half of something, so it may fit with closers
 *   'unfit'    it ends with a word that something must follow, or changes what is below
 */
export type Verdict = 'fits' | 'exceeds' | 'many' | 'open' | 'unfit';

export function verdictOn(trial: Trial): Verdict {
  const { within, around } = trial.place;
  if (trial.isWorse()) return 'open';
  if (within === 'comment') return 'fits';
  if (within === 'code' && around.lineSuffix.trim() === '' && dangles(trial)) return 'unfit';
  if (isHalf(trial)) return 'open';
  if (swallows(trial)) return 'unfit';
  if (isOne(trial)) return 'fits';
  return trial.isBetter && !trial.tree.root.hasError ? 'exceeds' : 'many';
}

/**
 * Whether the text ends with a keyword that something must follow, with a keyword that was parsed as a name, or with an
 * empty comment.
 */
function dangles(trial: Trial): boolean {
  const { tree, modelEnd, isLine } = trial;
  const leaf = tree.root.descendantForIndex(modelEnd - 1, modelEnd);
  if (!leaf || leaf.endIndex !== modelEnd) return false;
  // A comment without a word.
  if (isComment(leaf.type) && !isLine && leaf.startIndex >= trial.start && !/[\p{L}\p{N}]/u.test(leaf.text))
    return true;
  if (!tree.keywords.has(leaf.text)) return false;
  const { parent } = leaf;
  // The text may complete a word that the user has begun, if the word can be a whole statement or a member's name.
  if (leaf.startIndex < trial.start && !isLine && leaf.type !== 'identifier') return false;
  if (leaf.isNamed) return isName(leaf.type) && !/\.\s*\w+$/.test(lineBefore(tree.text, modelEnd));
  if (isLine) return parent !== null && parent.endIndex > modelEnd + 1 && !isAboveDeeper(trial);
  // The user has begun a declaration, and the text goes on with it: "public static".
  const line = lineBefore(tree.text, modelEnd).trimStart();
  const isBegun = /^\p{L}+$/u.test(lineBefore(tree.text, trial.start).trim());
  if (isBegun && line.split(/\s+/).every((word) => tree.keywords.has(word))) return false;
  return !(parent?.isNamed && parent.childCount === 1 && !/statement|modifier|ERROR/.test(parent.type));
}

/** Whether the line below the text is indented more than the text's last line. */
function isAboveDeeper(trial: Trial): boolean {
  return depthOf(trial.place.around.linesBelow[0] ?? '') > depthOf(lastLineOf(trial));
}

const lastLineOf = ({ tree, text, start }: Trial) => lineBefore(tree.text, start + text.trimEnd().length);

/**
 * Whether the text is only half of something, although the grammar accepts it as a whole: a head without its body, an
 * element without its end tag.
 */
function isHalf(trial: Trial): boolean {
  const { tree, modelStart, modelEnd, isLine } = trial;
  if (!isLine && beginsAttribute(tree, modelStart)) return true;
  const inner = tree.root.descendantForIndex(modelStart, modelEnd);
  const around = inner?.parent?.parent ?? inner?.parent ?? tree.root;
  return nodesIn(around, modelStart, modelEnd).some((node) => isHalfNode(node, trial));
}

function isHalfNode(node: Node, { tree, modelStart, modelEnd }: Trial): boolean {
  const { type, startIndex, endIndex } = node;
  const { elements, halves } = tree.grammar;
  if (startIndex === modelEnd && endIndex === modelEnd) return /block/.test(type) || isName(type);
  if (startIndex < modelStart) return false;
  if (type === 'erroneous_end_tag') return true;
  if (endIndex <= modelEnd && halves[type]?.(node)) return true;
  if (!elements || type !== 'element') return false;
  const tag = node.children[0];
  const isOpen = tag?.type === 'start_tag' && !node.children.some((child) => child?.type === 'end_tag');
  return isOpen && !elements.voids.has(tag?.namedChildren[0]?.text ?? '');
}

const maxNodes = 5000;

/** The nodes below `from` (and itself) that touch a range, parents first; at most maxNodes. */
function nodesIn(from: Node, start: number, end: number): Node[] {
  const nodes: Node[] = [];
  for (const left = [from]; left.length > 0 && nodes.length < maxNodes; ) {
    const node = left.pop();
    if (!node || node.endIndex < start || node.startIndex > end) continue;
    nodes.push(node);
    left.push(...node.children.slice(0, maxNodes).reverse());
  }
  return nodes;
}

/** The outermost node that begins at the offset and is not a list. */
function outerAt(root: Node, at: number, lists: ReadonlySet<string>): Node | null {
  let outer: Node | null = null;
  for (let node = root.descendantForIndex(at, at + 1); node && node.startIndex === at; node = node.parent)
    if (!lists.has(node.type) && !node.isError) outer = node;
  return outer;
}

/** Whether the text changes the meaning of the statement below it, or makes it a part of the text. */
function swallows(trial: Trial): boolean {
  const { base, tree, start, modelStart, sameFrom } = trial;
  const { lists, closers } = tree.grammar;
  const isCloser = closers.includes(lastLineOf(trial).trim());
  if (trial.isBetter || (isAboveDeeper(trial) && !isCloser) || beginsAttribute(tree, modelStart)) return false;
  const after = base.text.slice(sameFrom.old, sameFrom.old + 2000);
  const found = /\n\s*\S/.exec(after);
  if (!found) return false;
  const below = found.index + found[0].length - 1;
  const was = outerAt(base.root, sameFrom.old + below, lists);
  if (was && !was.hasError && (!was.isNamed || was.type === 'erroneous_end_tag')) return false;
  // A keyword below that is parsed as a name belongs to something that is not written yet.
  const word = base.root.descendantForIndex(sameFrom.old + below);
  if (word?.isNamed && tree.keywords.has(word.text)) return false;
  if (!was || was.hasError) {
    // A node that begins in the text must not extend into the line below. The root begins there in the first line.
    const over = tree.root.descendantForIndex(sameFrom.now - 1, sameFrom.now + below + 1);
    return base.root.hasError && over?.parent != null && over.startIndex >= modelStart && !isComment(over.type);
  }
  // If the statement of the cursor's line went on below, the text may end it, so that what is below begins another one.
  const isInList = was.parent !== null && lists.has(was.parent.type);
  if (!isInList && lineBefore(base.text, start).trim() !== '') return false;
  const now = outerAt(tree.root, sameFrom.now + below, lists);
  if (now?.type !== was.type || (isInList && now.parent?.type !== was.parent?.type)) return true;
  // A closer must not end the block of the statement below, which then stands in a list of the same type.
  return isCloser && now.parent?.parent?.type !== was.parent?.parent?.type;
}

function beginsAttribute({ root }: SyntaxTree, at: number): boolean {
  for (let node = root.descendantForIndex(at, at + 1); node && node.startIndex === at; node = node.parent)
    if (isAttribute(node.type)) return true;
  return false;
}

/** Whether the text is one statement, or as much as the extent of the place allows. */
function isOne({ tree, text, start, end, modelStart, modelEnd, place }: Trial): boolean {
  const { extent, block, around } = place;
  const { lists } = tree.grammar;
  const { linePrefix, lineSuffix } = around;
  const hasRest = lineSuffix.trim() !== '' && !closersOnly.test(lineSuffix);
  const [, ...below] = filledLines(text.slice(0, modelEnd - start));
  if (extent === 'all' || (below.length === 0 && !hasRest)) return true;
  const to = hasRest
    ? end + lineSuffix.length
    : start + text.slice(0, modelEnd - start).replace(/[)\]};,\s]+$/, '').length;
  if (extent === 'block' && block) {
    const isInside = below.every((line) => depthOf(line.text) > depthOf(block.indentation));
    const node = tree.root.descendantForIndex(block.at, to);
    return isInside || !node || !lists.has(node.type) || node.startIndex >= block.at;
  }
  const from = linePrefix.trim() === '' ? modelStart : start - 1 - (linePrefix.length - linePrefix.trimEnd().length);
  const node = tree.root.descendantForIndex(from, to);
  if (!node || !lists.has(node.type)) return true;
  // The text is one construct, or it is in a list that begins in the cursor's line.
  const isElement = tree.grammar.elements !== null && node.type.endsWith('element');
  if (node.startIndex === modelStart && (isElement || node.children[0]?.isNamed === false)) return true;
  if (node.startIndex >= start - linePrefix.length && node.startIndex < start && node.parent !== null) return true;
  let count = 0;
  for (let child = node.firstNamedChildForIndex(start); child && child.startIndex < to; child = child.nextNamedSibling)
    if (child.endIndex > start && !isComment(child.type)) count++;
  return count <= 1;
}
