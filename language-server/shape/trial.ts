// A trial inserts a text into a document, parses that, and compares the faults with those of the document without it.
import { badness, extentOf, type Fault, faultsOf } from '../syntax/faults.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { OpenDelimiters } from './delimiters.ts';
import { lineBefore } from './indentation.ts';
import type { Place } from './place.ts';

export class Trial {
  readonly start: number;
  readonly end: number;
  /** From these offsets on, the document without the text and the document with it are the same. */
  readonly sameFrom: { old: number; now: number };
  /** Where the model's text begins and ends, without white space. */
  readonly modelStart: number;
  readonly modelEnd: number;
  /** Whether the document has fewer faults with the text. */
  readonly isBetter: boolean;

  /**
   * base, tree: the tree of the document without the text, and with it; the caller deletes them. modelLength: how many
   * characters of the text come from the model. The others close what these leave open. oldEnd: the end of the text in
   * the old document that the new text replaces. isLine: whether the model's text ends where one of its lines does.
   */
  constructor(
    readonly place: Place,
    readonly base: SyntaxTree,
    readonly tree: SyntaxTree,
    readonly text: string,
    modelLength: number,
    oldEnd: number,
    readonly isLine: boolean,
  ) {
    this.start = place.code.offset;
    this.end = this.start + text.length;
    this.sameFrom = { old: oldEnd, now: oldEnd + tree.text.length - base.text.length };
    this.modelStart = this.start + Math.max(0, text.search(/\S/));
    this.modelEnd = this.start + text.slice(0, modelLength).trimEnd().length;
    this.isBetter = faultsOf(tree).length < faultsOf(base).length;
  }

  /** Whether the text adds a fault to the document. */
  isWorse(): boolean {
    const { base, tree, start, end, text, sameFrom, isLine } = this;
    const { linePrefix, lineSuffix } = this.place.around;
    const [old, now] = faultsThatDiffer(faultsOf(base), faultsOf(tree), sameFrom.old, sameFrom.now);
    if (now.length > old.length) return true;
    const before = lineBefore(base.text, start);
    if (old.length > 0 && OpenDelimiters.in(text, before).quotes > OpenDelimiters.in(before).quotes) return true;
    const isNear = (fault: Fault) => fault.start <= end + 1 && fault.end >= start;
    const added = addedTo(old, now, tree.grammar.closers);
    const far = added.filter((fault) => !isNear(fault));
    if (far.some(isMissing) || far.length > old.length - old.filter(isMissing).length) return true;
    const near = added.filter(isNear);
    const { brackets, surplus } = OpenDelimiters.in(text);
    const isBalanced = brackets === '' && surplus === '';
    // A missing semicolon is better than the fault that the text has mended.
    if (near.every(({ missing }) => missing === ';')) return false;
    // Brackets that are open before the cursor may stay open if the text mends another fault.
    if (lineSuffix.trim() === '' && near.every(({ missing }) => missing !== null && /^[)\]}]$/.test(missing)))
      return badness(tree) >= badness(base) || !isBalanced;
    const grown = tree.text.length - base.text.length;
    const isOld = near.every((fault) => fault.start < start) && extentOf(now) - grown <= extentOf(old);
    return !((isLine || linePrefix.trim() !== '') && isOld && isBalanced);
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

const isMissing = ({ missing }: Fault) => missing !== null;

/** The new faults, without those for punctuation and closing words that were missing before, too. */
function addedTo(old: readonly Fault[], now: readonly Fault[], closers: readonly string[]): Fault[] {
  const isMark = (missing: string | null) => missing !== null && (!/^\w+$/.test(missing) || closers.includes(missing));
  const left = old.map(({ missing }) => missing).filter(isMark);
  return now.filter(({ missing }) => {
    const at = left.indexOf(missing);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
