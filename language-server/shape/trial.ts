// A trial inserts a text into a document, parses that, and compares the faults with those of the document without it.
import type { Node } from 'web-tree-sitter';
import { badness, extentOf, type Fault, faultsOf } from '../syntax/faults.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { lineBefore } from './indentation.ts';
import { closerOf, OpenSigns } from './signs.ts';

/**
 * What follows the cursor without the inserted text (`old`) and with it (`now`), up to where both documents are the
 * same again.
 */
export interface Rest {
  old: string;
  now: string;
}

export class Trial {
  readonly end: number;
  /** The offsets, without the text and with it, from which on both documents are the same. */
  readonly sameFrom: { old: number; now: number };
  /** Where the model's text begins and ends, without white space. */
  readonly modelStart: number;
  readonly modelEnd: number;
  /** Whether the document has fewer faults with the text. */
  readonly isBetter: boolean;

  /**
   * tree: that of the document with the text, which the caller deletes. modelLength: how many characters of the text come
   * from the model; the others close what it leaves open.
   */
  constructor(
    readonly base: SyntaxTree,
    readonly tree: SyntaxTree,
    readonly start: number,
    readonly text: string,
    modelLength: number,
    private readonly replaces: number,
    rest: Rest,
  ) {
    this.end = start + text.length;
    this.sameFrom = { old: start + replaces + rest.old.length, now: this.end + rest.now.length };
    this.modelStart = start + Math.max(0, text.search(/\S/));
    this.modelEnd = start + text.slice(0, modelLength).trimEnd().length;
    this.isBetter = faultsOf(tree).length < faultsOf(base).length;
  }

  /**
   * Whether the text adds a fault to the document. canBeBroken: faults around the cursor may stay. endsLine: nothing is
   * right of the text.
   */
  isWorse(canBeBroken: boolean, endsLine: boolean): boolean {
    const { base, tree, start, end, replaces } = this;
    const [old, now] = faultsThatDiffer(faultsOf(base), faultsOf(tree), this.sameFrom.old, this.sameFrom.now);
    if (now.length > old.length) return true;
    if (old.length > 0 && OpenSigns.leavesQuote(lineBefore(base.text, start), this.text)) return true;
    const isNear = (fault: Fault) => fault.start <= end + 1 && fault.end >= start;
    const left = unmatched(now, old, tree.grammar.closers);
    const far = left.filter((fault) => !isNear(fault));
    if (far.some(isMissing) || far.length > old.length - old.filter(isMissing).length) return true;
    const near = left.filter(isNear);
    if (near.length === 0) return false;
    // A missing semicolon is better than the fault at the cursor that the text has mended.
    if (old.some((fault) => fault.start <= start && fault.end >= start) && near.every(isSemicolon)) return false;
    // Brackets that the cursor's line has opened may still be open.
    if (endsLine && near.every(({ missing }) => missing !== null && /^[)\]}]$/.test(missing)))
      return badness(tree) >= badness(base) || !this.isBalanced();
    const wasBroken = old.some((fault) => !isMissing(fault) && fault.start < start && fault.end >= start);
    const grown = this.text.length - replaces;
    return !(
      wasBroken &&
      canBeBroken &&
      extentOf(now) - grown <= extentOf(old) &&
      near.every((fault) => !isMissing(fault) && fault.start < start) &&
      this.isBalanced()
    );
  }

  /** Whether each bracket of the text has its partner in the text. */
  private isBalanced(): boolean {
    const open: string[] = [];
    const { start, end } = this;
    const around = this.tree.root.descendantForIndex(start, end) ?? this.tree.root;
    for (const { type, childCount, startIndex, endIndex, isMissing } of nodesIn(around, start, end)) {
      if (childCount > 0 || startIndex < start || endIndex > end || isMissing) continue;
      if (closerOf[type]) open.push(closerOf[type] ?? '');
      else if (/^[)\]}]$/.test(type) && open.pop() !== type) return false;
    }
    return open.length === 0;
  }
}

/**
 * The faults that only one of two documents has. After `from` in the old and `to` in the new one, the documents are the
 * same.
 */
function faultsThatDiffer(old: readonly Fault[], now: readonly Fault[], from: number, to: number): [Fault[], Fault[]] {
  const key = ({ start, end, missing }: Fault, at: number) =>
    start >= at ? `${start - at} ${end - at} ${missing}` : `-${start} ${end} ${missing}`;
  const [oldKeys, nowKeys] = [new Set(old.map((each) => key(each, from))), new Set(now.map((each) => key(each, to)))];
  return [old.filter((each) => !nowKeys.has(key(each, from))), now.filter((each) => !oldKeys.has(key(each, to)))];
}

/** The new faults, without marks such as a semicolon that were missing before, too. */
function unmatched(now: readonly Fault[], old: readonly Fault[], closers: readonly string[]): Fault[] {
  const isMark = (missing: string | null) => missing !== null && (!/^\w+$/.test(missing) || closers.includes(missing));
  const left = old.map(({ missing }) => missing).filter(isMark);
  return now.filter(({ missing }) => {
    const at = left.indexOf(missing);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const isMissing = ({ missing }: Fault) => missing !== null;
const isSemicolon = ({ missing }: Fault) => missing === ';';

const maxNodes = 5000;

/** The nodes below `from` (and itself) that touch a range, parents first; at most maxNodes. */
export function nodesIn(from: Node, start: number, end: number): Node[] {
  const nodes: Node[] = [];
  for (const left = [from]; left.length > 0 && nodes.length < maxNodes; ) {
    const node = left.pop();
    if (!node || node.endIndex < start || node.startIndex > end) continue;
    nodes.push(node);
    left.push(...node.children.slice(0, maxNodes).reverse());
  }
  return nodes;
}
