// Builds prompts that only grow at their end while the user types, so that a key costs one or two tokens. The prefix
// ends at the anchor, a line start a dozen lines above the cursor (nearer anchors complete worse), and the suffix stays
// as it was when the anchor was placed. The text from the anchor to the cursor follows fim_middle, as the given
// beginning of the middle. The preamble precedes all of it: code from other files and the path.
import type { Completer } from '../../native/index.ts';
import type { LongText } from '../documents/long-text.ts';
import { fimHead, promptBudget, tokenizeText } from './fim-prompt.ts';
import type { PromptPreamble } from './prompt-preamble.ts';
import { type CursorDocument, lineStartAbove, windowEnd, windowStart } from './text-window.ts';

export const defaultLinesUp = 12;

// How many characters the anchor may be above the cursor: a dozen ordinary lines, about 270 tokens.
const initialReach = 1000;
// Limits how much text is tokenized for every key. The limit on given tokens is nearly always reached first.
export const maxGivenChars = 4000;

export interface Anchor {
  languageId: string;
  /** What precedes the text of the document in the prompt. */
  preamble: PromptPreamble;
  /** Where the prefix begins in the document. */
  start: number;
  /** Where the prefix ends: the anchor itself. */
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

/**
 * Places an anchor for this cursor. The prefix begins where the previous one's did, if that leaves it a good length.
 */
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
 * The anchor as it serves this cursor; null: its prefix no longer matches the document, or its suffix what follows the
 * cursor.
 */
export function anchoredAt(engine: Completer, anchor: Anchor, document: CursorDocument): Anchored | null {
  const { text, offset } = document;
  const isNear = offset >= anchor.offset && offset - anchor.offset <= maxGivenChars;
  if (!isNear || !text.startsWith(anchor.prefix, anchor.start)) return null;
  const suffix = suffixState(anchor, document);
  return suffix && { anchor, given: tokenizeText(engine, text.slice(anchor.offset, offset)), suffix };
}

// If the prefix has too many tokens, a shorter text is tokenized. Cutting the tokens instead would let the prefix begin
// inside a line, at a different place after each key.
function prefixWindow(engine: Completer, text: LongText, end: number, previousStart: number | undefined) {
  const { prefixChars, prefixTokens } = promptBudget(engine.info.contextTokens);
  for (let maxChars = prefixChars; ; maxChars = Math.floor(maxChars * 0.7)) {
    const start = prefixStart(text, end, maxChars, previousStart);
    const tokens = tokenizeText(engine, text.slice(start, end));
    if (tokens.length <= prefixTokens || maxChars < 16) return { start, tokens };
  }
}

/**
 * The start moves by a quarter of the window at a time, so that most new anchors share their first tokens with the
 * last.
 */
function prefixStart(text: LongText, end: number, maxChars: number, previous: number | undefined): number {
  if (end <= maxChars) return 0;
  const length = previous === undefined ? 0 : end - previous;
  if (previous !== undefined && length >= maxChars / 2 && length <= maxChars) return windowStart(text, end, length);
  return windowStart(text, end, Math.floor(maxChars * 0.75));
}

/**
 * What has become of an anchor's suffix, which stays as it was when the anchor was placed:
 *   'frozen'   it still follows the cursor, perhaps after closing brackets that the editor has inserted
 *   'overrun'  the cursor has moved past closing brackets with which it begins, as at the end of a block
 *   'deleted'  its beginning, at most a few lines, was deleted
 * After 'overrun' and 'deleted' the anchor stays in use until the next one has been evaluated: suggestions are trimmed
 * against the current text anyway.
 */
export type SuffixState = 'frozen' | 'overrun' | 'deleted';

/** null: something else follows the cursor. */
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

/** Whether the cursor has moved past the missing text, so that it was not deleted. A few characters do not matter. */
function wasPassed(gone: string, textSinceAnchor: string): boolean {
  return gone.length > 3 && textSinceAnchor.includes(gone.slice(0, 16));
}

// Closing brackets and quotes that the editor has inserted after the cursor disappear when they are typed over, and
// move to a line of their own when Enter is pressed. So the suffix begins after them, and a completion that repeats
// them is trimmed.
const autoClosed = /[)\]}>"'`;,\s]/;
const maxAutoClosed = 80;
// A few lines. If more was deleted, too much of the suffix is out of date.
const maxGone = 200;

function hasFrozenSuffix(suffix: string, text: LongText, offset: number): boolean {
  for (let at = offset; at <= offset + maxAutoClosed; at++) {
    if (suffix === '' ? at >= text.length : text.startsWith(suffix, at)) return true;
    if (!autoClosed.test(text.charAt(at))) return false;
  }
  return false;
}

/** The number of closing brackets and quotes at the offset, if nothing else follows in the line; otherwise 0. */
function countClosersAt(text: LongText, offset: number): number {
  return /^[)\]}>"'`][)\]}>"'`;,]*(?=\r?\n|$)/.exec(text.slice(offset, offset + maxAutoClosed))?.[0].length ?? 0;
}
