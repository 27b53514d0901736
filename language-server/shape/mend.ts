// Closes the brackets, quotes and blocks that a document leaves open at the cursor. Hardly any document is sound while
// somebody types in it. With the missing closers inserted after the cursor's line, its tree shows what is meant. These
// closers are used for parsing only.
import type { LongText } from '../documents/long-text.ts';
import { OpenDelimiters } from './delimiters.ts';
import { depthOf, headsAbove, indentationOf } from './indentation.ts';

const searchedChars = 20_000;
const maxBlocks = 30;

/** A block above the cursor whose end is missing. */
interface Block {
  indentation: string;
  closers: string;
}

/** What to insert after the cursor's line, for parsing, so that nothing is left open there. */
export class Mend {
  /** What is inserted. */
  readonly closers: string;

  private constructor(
    /** The end of the cursor's line, where the closers are inserted. */
    readonly at: number,
    /** The cursor's line, before and after the cursor. */
    private readonly prefix: string,
    private readonly suffix: string,
    /** The blocks around the line whose ends are missing below it, innermost first. */
    private readonly blocks: readonly Block[],
    /** What is inserted as the body of the line: braces, or ''. */
    private readonly body: string,
  ) {
    this.closers = closing(OpenDelimiters.in(prefix + suffix).closers, body, blocks);
  }

  /**
   * What may mend the text, to be tried in this order. First: closers for everything that is open. Second, where blocks
   * have braces: the same with an empty body, as if the line were the head of a block. Nothing if nothing is missing.
   * Where the brackets around the cursor (|) end the line, as in `if (|)`, a body may be missing.
   */
  static allAt(text: LongText, at: number, hasBraces: boolean): Mend[] {
    const [prefix = '', ...above] = text
      .slice(Math.max(0, at - searchedChars), at)
      .split('\n')
      .reverse();
    const [suffix = '', ...below] = text.slice(at, at + searchedChars).split('\n');
    const isFilled = (line: string) => line.trim() !== '';
    const blocks = missingBlocks(above.filter(isFilled), prefix, below.filter(isFilled));
    const withBody = (body: string) => new Mend(at + suffix.length, prefix, suffix, blocks, body);
    const mend = withBody('');
    if (mend.closers === '' && !/^\)\s*$/.test(suffix)) return [];
    const isBareWord = /^\w+$/.test(`${prefix}${suffix}`.trim());
    return isBareWord || !hasBraces ? [mend] : [mend, withBody(' {}')];
  }

  /** Whether the mended text has one of the closers at the offset. */
  hasAdded(offset: number): boolean {
    return offset >= this.at && offset < this.at + this.closers.length;
  }

  /** The mended text from the cursor to the end of the added closers: the next line of the document follows. */
  get rest(): string {
    return this.suffix + this.closers;
  }

  /**
   * What may replace `rest` when `shown` is inserted at the cursor, in the order to try. Brackets that `shown` leaves
   * open are not closed. What was open before it is closed or, in the last variant, left to the text below.
   */
  restsAfter(shown: string, replaces: number): string[] {
    const delimiters = OpenDelimiters.in(shown, this.prefix);
    const { opened } = delimiters;
    let closed = delimiters.surplus;
    const suffix = this.suffix.slice(replaces);
    delimiters.read(suffix);
    const blocks = [...this.blocks];
    while (closed !== '' && blocks[0] && closed.startsWith(blocks[0].closers))
      closed = closed.slice(blocks.shift()?.closers.length);
    const closedBelow = suffix + closing([], '', blocks);
    // If the text leaves a bracket of its own open, that is closed below.
    if (opened.length > 0) return [closedBelow];
    return [...new Set([suffix + closing(delimiters.closers, this.body, blocks), closedBelow])];
  }
}

/** What closes the brackets and quotes of a line, its body, and the lines that close the blocks around it. */
function closing(open: readonly string[], body: string, blocks: readonly Block[]): string {
  const lines = blocks.map(({ indentation, closers }) => `\n${indentation}${closers}`);
  return [...open.toReversed(), body, ...lines].join('');
}

/**
 * The blocks around the cursor's line, found by indentation, whose closers are missing below it, innermost first.
 * above, below: the lines that are not blank, nearest first.
 */
function missingBlocks(above: readonly string[], prefix: string, below: readonly string[]): Block[] {
  let from = 0;
  return blocksAround(above, prefix).filter(({ indentation, closers }) => {
    const depth = depthOf(indentation);
    const closer = closers.charAt(0);
    const begins = (line: string) => line.trimStart().startsWith(closer);
    const at = below.findIndex((line, i) => i >= from && (depthOf(line) <= depth || begins(line)));
    const line = below[at];
    if (line === undefined) return true;
    const isOutside = depthOf(line) < depth;
    from = isOutside ? at : at + 1;
    // A word may precede the closer, as in `end)`.
    return isOutside || !(begins(line) || OpenDelimiters.in(line).surplus.startsWith(closer));
  });
}

/** The blocks that are open above the cursor's line and around it, found by indentation, innermost first. */
function blocksAround(above: readonly string[], prefix: string): Block[] {
  // Right below deeper lines, the cursor may be where their block is to be closed.
  const isBelowDeeper = prefix.trim() === '' && depthOf(above[0] ?? '') > depthOf(prefix);
  const blocks = headsAbove(above, depthOf(prefix) + (isBelowDeeper ? 1 : 0)).map(({ head, body }) => {
    // A bracket that is opened in the middle of the line may be closed in a line below, so those lines are read, too.
    const text = /[{([]\s*$/.test(head) ? head : [...body, head].reverse().join('\n');
    return { indentation: indentationOf(head), closers: OpenDelimiters.in(text).brackets };
  });
  return blocks.filter(({ closers }) => closers !== '').slice(0, maxBlocks);
}
