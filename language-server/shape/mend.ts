// Closes the brackets, quotes and blocks that a document leaves open at the cursor. Hardly any document is sound while
// somebody types in it. With the missing closers inserted after the cursor's line, its tree shows what is meant. These
// closers are used for parsing only.
import type { LongText } from '../documents/long-text.ts';
import { OpenDelimiters } from './delimiters.ts';
import { depthOf, indentationOf } from './indentation.ts';

const searchedChars = 20_000;
const maxBlocks = 30;

/** A block above the cursor whose end is missing. */
interface Block {
  indentation: string;
  closers: string;
}

const emptyBody = ' {}';

/** What to insert after the cursor's line, for parsing, so that nothing is left open there. */
export class Mend {
  private constructor(
    /** The end of the cursor's line, where the closers are inserted. */
    readonly at: number,
    /** The cursor's line, before and after the cursor. */
    private readonly prefix: string,
    private readonly suffix: string,
    /** The blocks around the line whose ends are missing below it, innermost first. */
    private readonly blocks: readonly Block[],
    /** What is inserted as the body of the line: emptyBody, or ''. */
    private readonly body: string,
  ) {}

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
    const mend = new Mend(at + suffix.length, prefix, suffix, blocks, '');
    if (mend.closers === '' && !/^\)\s*$/.test(suffix)) return [];
    const isBareWord = /^\w+$/.test(`${prefix}${suffix}`.trim());
    return isBareWord || !hasBraces ? [mend] : [mend, mend.with(blocks, emptyBody)];
  }

  /** Whether the mended text has one of the closers at the offset. */
  hasAdded(offset: number): boolean {
    return offset >= this.at && offset < this.at + this.closers.length;
  }

  /** The mended text from the cursor to the end of the added closers: the next line of the document follows. */
  get rest(): string {
    return this.suffix + this.closers;
  }

  get closers(): string {
    return this.closing(OpenDelimiters.in(this.prefix + this.suffix).closers);
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
    const closedBelow = suffix + this.with(blocks, '').closing([]);
    // If the text leaves a bracket of its own open, that is closed below.
    if (opened.length > 0) return [closedBelow];
    return [...new Set([suffix + this.with(blocks, this.body).closing(delimiters.closers), closedBelow])];
  }

  private with(blocks: readonly Block[], body: string): Mend {
    return new Mend(this.at, this.prefix, this.suffix, blocks, body);
  }

  private closing(closers: readonly string[]): string {
    const inline = closers.toReversed().join('');
    const lines = this.blocks.map((block) => `\n${block.indentation}${block.closers}`);
    return inline + this.body + lines.join('');
  }
}

/**
 * The blocks around the cursor's line, found by indentation, whose closers are missing below it, innermost first.
 * above, below: the lines that are not blank, nearest first.
 */
function missingBlocks(above: readonly string[], prefix: string, below: readonly string[]): Block[] {
  const open = blocksAround(above, prefix);
  const missing: Block[] = [];
  for (const line of below) {
    const depth = depthOf(line);
    while (open[0] && depthOf(open[0].indentation) > depth) missing.push(...open.splice(0, 1));
    const [inner] = open;
    if (!inner) break;
    const closer = inner.closers.charAt(0);
    // A word may precede the closer, as in `end)`.
    const closes = depth <= depthOf(inner.indentation) && OpenDelimiters.in(line).surplus.startsWith(closer);
    if (closes || line.trimStart().startsWith(closer)) open.shift();
    else if (depth <= depthOf(inner.indentation)) missing.push(...open.splice(0, 1));
  }
  return [...missing, ...open];
}

/** The blocks that are open above the cursor's line and around it, found by indentation, innermost first. */
function blocksAround(above: readonly string[], prefix: string): Block[] {
  const blocks: Block[] = [];
  let inner = depthOf(prefix);
  let deeper = '';
  let isFirst = true;
  for (const line of above) {
    const depth = depthOf(line);
    // Right below deeper lines, the cursor may be where their block is to be closed.
    if (isFirst && prefix.trim() === '' && depth > inner) inner++;
    isFirst = false;
    if (inner === 0 || blocks.length === maxBlocks) break;
    deeper = `${line}\n${deeper}`;
    if (depth >= inner) continue;
    inner = depth;
    // A bracket that is opened in the middle of the line may be closed in a line below, so those lines are read, too.
    const closers = OpenDelimiters.in(/[{([]\s*$/.test(line) ? line : deeper).brackets;
    if (closers !== '') blocks.push({ indentation: indentationOf(line), closers });
  }
  return blocks;
}
