// What closes what a document leaves open at the cursor, as an editor does that closes brackets and quotes. Nobody who types
// has a sound document: with what is missing put behind the cursor's line, its syntax shows what is meant.
import type { LongText } from '../documents/long-text.ts';
import { depthOf, indentationOf } from './indentation.ts';
import { closerOf } from './signs.ts';

const searchedChars = 20_000;
const maxBlocks = 30;
const quote = /["'`]/;
const comment = /^\s*(?:\/\/|#|--|\*)|\s\/\/\s/;

/** A block above the cursor whose end is missing. */
interface Block {
  indentation: string;
  closers: string;
}

/** What a line has open: the closers of its brackets and quotes, outermost first. */
export class OpenSigns {
  readonly closers: string[] = [];
  /** What it closes that it has not opened. */
  closed = '';
  /** How many were open at the least since the last mark. */
  least = 0;

  static in(line: string): OpenSigns {
    const signs = new OpenSigns();
    signs.read(line);
    return signs;
  }

  /** Whether a text leaves a quote open that is not open before it. */
  static leavesQuote(before: string, text: string): boolean {
    const signs = OpenSigns.in(before);
    const quotes = () => signs.closers.filter((each) => quote.test(each)).length;
    const open = quotes();
    signs.read(text);
    return quotes() > open;
  }

  /** What a text says before it closes what it has not opened. */
  static ownPart(text: string): string {
    const signs = new OpenSigns();
    for (let at = 0; at < text.length; at++) {
      const end = signs.readSign(text, at);
      if (signs.closed !== '') return text.slice(0, at);
      at = end;
    }
    return text;
  }

  mark(): void {
    this.least = this.closers.length;
  }

  read(text: string): void {
    const end = comment.exec(text)?.index ?? text.length;
    for (let at = 0; at < end; at++) at = this.readSign(text, at);
  }

  /** Returns where the sign ends. */
  private readSign(text: string, at: number): number {
    const { closers } = this;
    const sign = text[at] ?? '';
    const top = closers.at(-1) ?? '';
    if (sign === '\n' && /["']/.test(top)) closers.pop();
    if (quote.test(top)) {
      if (sign === '\\') return at + 1;
      if (/[$#]/.test(sign) && text[at + 1] === '{' && top !== "'") {
        closers.push('}');
        return at + 1;
      }
      if (sign === top) closers.pop();
    } else if (/["`]/.test(sign) || (sign === "'" && !/[\w&<]/.test(text[at - 1] ?? ''))) closers.push(sign);
    else if (sign in closerOf) closers.push(closerOf[sign] ?? '');
    else if (/[)\]}]/.test(sign)) {
      if (sign === top) closers.pop();
      else if (closers.length === 0) this.closed += sign;
    }
    this.least = Math.min(this.least, closers.length);
    return at;
  }

  /** The closers of the brackets alone, innermost first. */
  get brackets(): string {
    const at = this.closers.findIndex((each) => quote.test(each));
    return this.closers
      .slice(0, at === -1 ? undefined : at)
      .reverse()
      .join('');
  }
}

export class Mend {
  private constructor(
    private readonly prefix: string,
    readonly suffix: string,
    private readonly blocks: readonly Block[],
    private readonly body: string,
    /** What a head of a block may have behind it; '' where blocks are no brackets. */
    private readonly emptyBody: string,
  ) {}

  /** null: nothing is missing, not even the body of a head whose bracket is closed right of the cursor. */
  static at(text: LongText, at: number, emptyBody: string): Mend | null {
    const [prefix = '', ...above] = text
      .slice(Math.max(0, at - searchedChars), at)
      .split('\n')
      .reverse();
    const [suffix = '', ...below] = text.slice(at, at + searchedChars).split('\n');
    const isFilled = (line: string) => line.trim() !== '';
    const blocks = missingBlocks(above.filter(isFilled), prefix, below.filter(isFilled));
    const mend = new Mend(prefix, suffix, blocks, '', emptyBody);
    const mayBeHead = emptyBody !== '' && /^\)\s*$/.test(suffix);
    return mend.isComplete && !mayBeHead ? null : mend;
  }

  /** Whether no bracket is missing. */
  get isComplete(): boolean {
    return this.closers === '';
  }

  /** The same, where the line is the head of a block. */
  get asHead(): Mend {
    return this.with(this.blocks, this.emptyBody);
  }

  /** What stands right of the cursor in the mended text, up to where that goes on like the other one. */
  get rest(): string {
    return this.suffix + this.closers;
  }

  get closers(): string {
    return this.closing(OpenSigns.in(this.prefix + this.suffix));
  }

  /**
   * What may take the place of the rest behind a text. What the text itself leaves open is closed below, or never, and so
   * may be what is open before it.
   */
  restsBehind(shown: string, replaces: number): string[] {
    const signs = new OpenSigns();
    signs.read(this.prefix);
    const { length } = signs.closed;
    signs.mark();
    signs.read(shown);
    const ownsOpen = signs.closers.length > signs.least;
    let closed = signs.closed.slice(length);
    const suffix = this.suffix.slice(replaces);
    signs.read(suffix);
    const blocks = [...this.blocks];
    while (closed !== '' && blocks[0] && closed.startsWith(blocks[0].closers))
      closed = closed.slice(blocks.shift()?.closers.length);
    const closedBelow = suffix + this.with(blocks, '').closing(new OpenSigns());
    // A head that has got its body needs no other one.
    if (ownsOpen) return [closedBelow];
    const isHead = this.body !== '' || signs.closers.length > 0 || /\)\s*$/.test(shown) || this.isComplete;
    const behind = (body: string) => suffix + this.with(blocks, body).closing(signs);
    return [...new Set([...(isHead ? [behind(this.body), behind(this.emptyBody)] : [behind('')]), closedBelow])];
  }

  private with(blocks: readonly Block[], body: string): Mend {
    return new Mend(this.prefix, this.suffix, blocks, body, this.emptyBody);
  }

  private closing({ closers }: OpenSigns): string {
    const inline = closers.toReversed().join('');
    const lines = this.blocks.map((block) => `\n${block.indentation}${block.closers}`);
    return inline + this.body + lines.join('');
  }
}

/**
 * The blocks around a line, by indentation, whose closers are not below it, innermost first. above, below: the lines that are
 * not blank, the nearest first.
 */
function missingBlocks(above: readonly string[], prefix: string, below: readonly string[]): Block[] {
  const open = blocksAround(above, prefix);
  const missing: Block[] = [];
  if (open.length === 0) return missing;
  for (const line of below) {
    const depth = depthOf(line);
    while (open[0] && depthOf(open[0].indentation) > depth) missing.push(...open.splice(0, 1));
    const [inner] = open;
    if (!inner) break;
    const closer = inner.closers.charAt(0);
    // A word may stand before what closes a block.
    const closes = depth <= depthOf(inner.indentation) && OpenSigns.in(line).closed.startsWith(closer);
    if (closes || line.trimStart().startsWith(closer)) open.shift();
    else if (depth <= depthOf(inner.indentation)) missing.push(...open.splice(0, 1));
  }
  return [...missing, ...open];
}

function blocksAround(above: readonly string[], prefix: string): Block[] {
  const blocks: Block[] = [];
  let inner = depthOf(prefix);
  let deeper = '';
  let isFirst = true;
  for (const line of above) {
    const depth = depthOf(line);
    // Below deeper lines, the cursor may be where their block is closed.
    if (isFirst && prefix.trim() === '' && depth > inner) inner++;
    isFirst = false;
    if (inner === 0 || blocks.length === maxBlocks) break;
    deeper = `${line}\n${deeper}`;
    if (depth >= inner) continue;
    inner = depth;
    // A list that begins behind other things may be closed in a line below.
    const closers = OpenSigns.in(/[{([]\s*$/.test(line) ? line : deeper).brackets;
    if (closers !== '') blocks.push({ indentation: indentationOf(line), closers });
  }
  return blocks;
}
