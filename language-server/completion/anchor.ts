// The anchored middle: a prompt whose beginning stays the same while the user types, so that a key costs one or two
// tokens. Prompt = prefix up to the anchor, frozen suffix, and the text from the anchor to the cursor as the given
// beginning of the middle. The anchor stands a dozen lines above the cursor: nearer ones complete worse.
import type { Engine } from '../../native/index.ts';
import { type FimPrompt, fimHead, promptBudget, tokenizeText } from './fim-prompt.ts';
import { type CursorDocument, lineStartAbove, windowEnd, windowStart } from './text-window.ts';
import { withGivenMiddle } from './token-healing.ts';

export const defaultLinesUp = 12;

// 1000 characters are about 270 tokens: a dozen ordinary lines, with room to grow to the budget of given tokens.
const initialReach = 1000;
const maxGivenChars = 2000;

interface Anchor {
  /** Start of the prefix window in the document. */
  start: number;
  offset: number;
  prefix: string;
  /** The text right of the cursor at the time that the anchor was made. */
  suffix: string;
  /** Everything up to and including fim_middle. */
  head: Uint32Array;
}

/** One anchor a document; belongs to one engine. */
export class Anchors {
  private readonly anchors = new Map<string, Anchor>();

  constructor(
    private readonly engine: Engine,
    private readonly linesUp = defaultLinesUp,
  ) {}

  prompt(document: CursorDocument): FimPrompt {
    const { anchor, given } = this.anchored(document);
    this.remember(document.uri, anchor);
    return withGivenMiddle(this.engine, anchor.head, given);
  }

  /** For a state that the document may come to: the anchor in use stays, as the document does. */
  promptAhead(document: CursorDocument): FimPrompt {
    const { anchor, given } = this.anchored(document);
    return withGivenMiddle(this.engine, anchor.head, given);
  }

  /**
   * The next anchor, once the given text has used most of its room: for evaluation in the background, to be adopted
   * when that is done. Until then the held one serves.
   */
  upcoming(document: CursorDocument): { tokens: Uint32Array; adopt: () => void } | null {
    const held = this.anchors.get(document.uri);
    if (!held || !stillHolds(held, document)) return null;
    const used = this.given(held.offset, document).length;
    if (used < this.budget.givenTokens * 0.6) return null;
    const { anchor, given } = this.place(document, held);
    // A dozen long lines fill the room at once; moving on by a line or two would cost more than it saves.
    if (given.length > used * 0.7) return null;
    const { tokens } = withGivenMiddle(this.engine, anchor.head, given);
    return { tokens, adopt: () => this.remember(document.uri, anchor) };
  }

  forget(uri: string): void {
    this.anchors.delete(uri);
  }

  private get budget() {
    return promptBudget(this.engine.info.contextTokens);
  }

  private anchored(document: CursorDocument): { anchor: Anchor; given: Uint32Array } {
    const held = this.anchors.get(document.uri);
    if (held && stillHolds(held, document)) {
      const given = this.given(held.offset, document);
      if (given.length <= this.budget.givenTokens) return { anchor: held, given };
    }
    return this.place(document, held);
  }

  private given(offset: number, document: CursorDocument): Uint32Array {
    return tokenizeText(this.engine, document.text.slice(offset, document.offset));
  }

  private place(document: CursorDocument, previous: Anchor | undefined): { anchor: Anchor; given: Uint32Array } {
    const { text, offset: cursor } = document;
    const budget = this.budget;
    // Text in which a character takes several tokens needs a shorter reach.
    let reach = initialReach;
    let offset = lineStartAbove(text, cursor, this.linesUp, reach);
    let given = this.given(offset, document);
    while (given.length > budget.givenTokens && reach > 16) {
      reach >>= 1;
      offset = lineStartAbove(text, cursor, this.linesUp, reach);
      given = this.given(offset, document);
    }
    const { start, tokens } = this.prefix(text, offset, previous?.start);
    const suffix = text.slice(cursor, windowEnd(text, cursor, budget.suffixChars));
    const suffixTokens = tokenizeText(this.engine, suffix).subarray(0, budget.suffixTokens);
    const head = fimHead(this.engine, tokens, suffixTokens);
    return { anchor: { start, offset, prefix: text.slice(start, offset), suffix, head }, given };
  }

  // Text of many tokens gets a shorter window instead of one cut at any token, so that it still begins with a line and
  // stays where it is.
  private prefix(text: string, end: number, previous: number | undefined): { start: number; tokens: Uint32Array } {
    const { prefixChars, prefixTokens } = this.budget;
    for (let maxChars = prefixChars; ; maxChars = Math.floor(maxChars * 0.7)) {
      const start = prefixStart(text, end, maxChars, previous);
      const tokens = tokenizeText(this.engine, text.slice(start, end));
      if (tokens.length <= prefixTokens || maxChars < 16) return { start, tokens };
    }
  }

  // A person works in a few documents; the oldest anchor goes first.
  private remember(uri: string, anchor: Anchor): void {
    this.anchors.delete(uri);
    this.anchors.set(uri, anchor);
    const [oldest] = this.anchors.keys();
    if (this.anchors.size > 16 && oldest !== undefined) this.anchors.delete(oldest);
  }
}

/** The window's start moves in jumps of a quarter, so that most new anchors still share the prefix's first tokens. */
function prefixStart(text: string, end: number, maxChars: number, previous: number | undefined): number {
  if (end <= maxChars) return 0;
  const length = previous === undefined ? 0 : end - previous;
  if (previous !== undefined && length >= maxChars / 2 && length <= maxChars) return previous;
  return windowStart(text, end, Math.floor(maxChars * 0.75));
}

function stillHolds(anchor: Anchor, { text, offset }: CursorDocument): boolean {
  const isNear = offset >= anchor.offset && offset - anchor.offset <= maxGivenChars;
  return isNear && text.startsWith(anchor.prefix, anchor.start) && hasFrozenSuffix(anchor.suffix, text, offset);
}

// Brackets and quotes that the editor closed after the anchor was made stay out of the suffix; what the completion
// repeats of them is trimmed.
const maxAutoClosed = 4;

function hasFrozenSuffix(suffix: string, text: string, offset: number): boolean {
  for (let closed = 0; closed <= maxAutoClosed; closed++) {
    if (text.startsWith(suffix, offset + closed)) return suffix !== '' || offset + closed === text.length;
    if (!')]}"\'`>;'.includes(text.charAt(offset + closed))) return false;
  }
  return false;
}
