// Builds prompts that only grow at their end while the user types, so that a key costs one or two tokens:
//
//   preamble   code from other files, and the document's path
//   prefix     the text above the anchor, a line start a dozen lines above the cursor (a nearer one makes worse answers)
//   suffix     the text after the cursor, as it was when the anchor was placed
//   given      the text from the anchor to the cursor, after fim_middle: it is the beginning of the middle
import type { Completer } from '../../native/index.ts';
import type { LongText } from '../documents/long-text.ts';
import { fimHead, promptBudget, tokenizeText } from './fim-prompt.ts';
import type { PromptPreamble } from './prompt-preamble.ts';
import { type CursorDocument, lineStartAbove, windowEnd, windowStart } from './text-window.ts';

export const defaultLinesUp = 12;

// The anchor is at most this many characters above the cursor: a dozen ordinary lines, about 270 tokens.
const initialReach = 1000;
// Limits how much text is tokenized for every key. The limit on given tokens is nearly always reached first.
export const maxGivenChars = 4000;

export interface Anchor {
  languageId: string;
  preamble: PromptPreamble;
  /** The offset in the document where the prefix begins. */
  start: number;
  /** The offset where the prefix ends: the anchor itself. */
  offset: number;
  /** The offset of the cursor when the anchor was placed. */
  cursor: number;
  prefix: string;
  /** The text after the cursor when the anchor was placed. */
  suffix: string;
  /** The tokens of the prompt up to and including fim_middle. */
  head: Uint32Array;
}

export interface Anchored {
  anchor: Anchor;
  /** Tokens of the text from the anchor to the cursor. */
  given: Uint32Array;
  suffix: SuffixState;
}

/** Places an anchor for this cursor. If possible, the prefix begins at the same place as that of `previous`. */
export function placeAnchor(
  engine: Completer,
  document: CursorDocument,
  linesUp: number,
  preamble: PromptPreamble,
  previous?: Anchor,
): Anchored {
  const { text, offset: cursor, languageId } = document;
  const budget = promptBudget(engine.info.contextTokens);
  // The reach shrinks if the text has unusually many tokens for its length.
  let reach = initialReach;
  let offset = lineStartAbove(text, cursor, linesUp, reach);
  let given = tokenizeText(engine, text.slice(offset, cursor));
  while (given.length > budget.nextAnchorTokens && reach > 16) {
    reach >>= 1;
    offset = lineStartAbove(text, cursor, linesUp, reach);
    given = tokenizeText(engine, text.slice(offset, cursor));
  }
  const { start, tokens } = prefixWindow(engine, text, offset, previous?.start);
  const suffixStart = cursor + countClosersAt(text, cursor);
  const suffix = text.slice(suffixStart, windowEnd(text, suffixStart, budget.suffixChars));
  const suffixTokens = tokenizeText(engine, suffix).subarray(0, budget.suffixTokens);
  const head = fimHead(engine, tokens, suffixTokens, preamble.tokens);
  const prefix = text.slice(start, offset);
  return { anchor: { languageId, preamble, start, offset, cursor, prefix, suffix, head }, given, suffix: 'frozen' };
}

/**
 * The anchor with the given text for this cursor; null if the anchor's prefix or suffix no longer matches the document.
 */
export function anchoredAt(engine: Completer, anchor: Anchor, document: CursorDocument): Anchored | null {
  const { text, offset } = document;
  const isNear = offset >= anchor.offset && offset - anchor.offset <= maxGivenChars;
  if (!isNear || !text.startsWith(anchor.prefix, anchor.start)) return null;
  const suffix = suffixState(anchor, document);
  return suffix && { anchor, given: tokenizeText(engine, text.slice(anchor.offset, offset)), suffix };
}

// If the prefix has too many tokens, a shorter text is tokenized. If tokens were cut off instead, the prefix would
// begin inside a line, at a different place after each key.
function prefixWindow(engine: Completer, text: LongText, end: number, previousStart: number | undefined) {
  const { prefixChars, prefixTokens } = promptBudget(engine.info.contextTokens);
  for (let maxChars = prefixChars; ; maxChars = Math.floor(maxChars * 0.7)) {
    const start = prefixStart(text, end, maxChars, previousStart);
    const tokens = tokenizeText(engine, text.slice(start, end));
    if (tokens.length <= prefixTokens || maxChars < 16) return { start, tokens };
  }
}

/**
 * The start of a prefix that ends at `end`. It moves by a quarter of the window at a time, so that most new anchors
 * begin with the same tokens as the last. previous: the start of the last anchor's prefix.
 */
function prefixStart(text: LongText, end: number, maxChars: number, previous: number | undefined): number {
  if (end <= maxChars) return 0;
  const length = previous === undefined ? 0 : end - previous;
  if (previous !== undefined && length >= maxChars / 2 && length <= maxChars) return windowStart(text, end, length);
  return windowStart(text, end, Math.floor(maxChars * 0.75));
}

/**
 * How an anchor's suffix compares with the text that follows the cursor now:
 *   'frozen'   the same, perhaps after closing brackets that the editor has inserted
 *   'overrun'  the suffix begins with closing brackets that are before the cursor now, as at the end of a block
 *   'deleted'  the beginning of the suffix, at most a few lines, was deleted
 * An 'overrun' or 'deleted' anchor stays in use until the next one has been evaluated: suggestions are trimmed against
 * the current text anyway.
 */
export type SuffixState = 'frozen' | 'overrun' | 'deleted';

/** Null if other text follows the cursor. */
function suffixState({ suffix, cursor }: Anchor, { text, offset }: CursorDocument): SuffixState | null {
  if (hasFrozenSuffix(suffix, text, offset)) return 'frozen';
  let isOverrun = true;
  for (let gone = 1; gone <= Math.min(maxGone, suffix.length); gone++) {
    isOverrun &&= gone <= maxAutoClosed && autoClosed.test(suffix.charAt(gone - 1));
    if (!hasFrozenSuffix(suffix.slice(gone), text, offset)) continue;
    if (isOverrun) return 'overrun';
    // A short remainder may match by chance.
    const isSure = suffix.length - gone >= 40 || text.endsWith(suffix.slice(gone));
    return isSure && !wasPassed(suffix.slice(0, gone), text.slice(cursor, offset)) ? 'deleted' : null;
  }
  return null;
}

/** Whether the missing text is before the cursor now, instead of deleted. A few characters do not matter. */
function wasPassed(gone: string, textSinceAnchor: string): boolean {
  return gone.length > 3 && textSinceAnchor.includes(gone.slice(0, 16));
}

// Closing brackets and quotes that the editor has inserted disappear when the user types over them, and get a line of
// their own at Enter. So the suffix begins after them, and a completion that repeats them is trimmed.
const autoClosed = /[)\]}>"'`;,\s]/;
const maxAutoClosed = 80;
// A few lines. If more characters were deleted, too much of the suffix is out of date.
const maxGone = 200;

function hasFrozenSuffix(suffix: string, text: LongText, offset: number): boolean {
  for (let at = offset; at <= offset + maxAutoClosed; at++) {
    if (suffix === '' ? at >= text.length : text.startsWith(suffix, at)) return true;
    if (!autoClosed.test(text.charAt(at))) return false;
  }
  return false;
}

/** The number of closing brackets and quotes at the offset if they end the line; otherwise 0. */
function countClosersAt(text: LongText, offset: number): number {
  return /^[)\]}>"'`][)\]}>"'`;,]*(?=\r?\n|$)/.exec(text.slice(offset, offset + maxAutoClosed))?.[0].length ?? 0;
}
