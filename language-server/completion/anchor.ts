// The anchored middle: a prompt whose beginning stays the same while the user types, so that a key costs one or two
// tokens. Prompt = lead (other files' code and the path), prefix up to the anchor, frozen suffix, and the text from the
// anchor to the cursor as the given beginning of the middle. The anchor stands a dozen lines above the cursor: nearer
// ones complete worse.
import type { Engine } from '../../native/index.ts';
import type { Text } from '../documents/long-text.ts';
import { fimHead, promptBudget, tokenizeText } from './fim-prompt.ts';
import type { PromptLead } from './prompt-lead.ts';
import { type CursorDocument, lineStartAbove, windowEnd, windowStart } from './text-window.ts';

export const defaultLinesUp = 12;

// 1000 characters are about 270 tokens: a dozen ordinary lines.
const initialReach = 1000;
// Bounds what is tokenized at every key; the budget of given tokens is nearly always reached before it.
export const maxGivenChars = 4000;

export interface Anchor {
  /** What the prompt says before the document's text; frozen like all that is behind it. */
  lead: PromptLead;
  /** Start of the prefix window in the document. */
  start: number;
  offset: number;
  /** Where the cursor stood when the anchor was made. */
  cursor: number;
  prefix: string;
  /** The text right of the cursor at the time that the anchor was made. */
  suffix: string;
  /** Everything up to and including fim_middle. */
  head: Uint32Array;
}

export interface Anchored {
  anchor: Anchor;
  /** Tokens of the text from the anchor to the cursor. */
  given: Uint32Array;
}

/** A new anchor for this place; the previous one's prefix window is kept if it still serves. */
export function placeAnchor(
  engine: Engine,
  document: CursorDocument,
  linesUp: number,
  lead: PromptLead,
  previous?: Anchor,
): Anchored {
  const { text, offset: cursor } = document;
  const budget = promptBudget(engine.info.contextTokens);
  // Text in which a character takes several tokens needs a shorter reach.
  let reach = initialReach;
  let offset = lineStartAbove(text, cursor, linesUp, reach);
  let given = tokenizeText(engine, text.slice(offset, cursor));
  while (given.length > budget.nextAnchorTokens && reach > 16) {
    reach >>= 1;
    offset = lineStartAbove(text, cursor, linesUp, reach);
    given = tokenizeText(engine, text.slice(offset, cursor));
  }
  const { start, tokens } = prefixWindow(engine, text, offset, previous?.start);
  const suffixStart = cursor + closersAt(text, cursor);
  const suffix = text.slice(suffixStart, windowEnd(text, suffixStart, budget.suffixChars));
  const suffixTokens = tokenizeText(engine, suffix).subarray(0, budget.suffixTokens);
  const head = fimHead(engine, tokens, suffixTokens, lead.tokens);
  return { anchor: { lead, start, offset, cursor, prefix: text.slice(start, offset), suffix, head }, given };
}

export function anchoredAt(engine: Engine, anchor: Anchor, { text, offset }: CursorDocument): Anchored {
  return { anchor, given: tokenizeText(engine, text.slice(anchor.offset, offset)) };
}

// Text of many tokens gets a shorter window instead of one cut at any token, so that it still begins with a line and
// stays where it is.
function prefixWindow(engine: Engine, text: Text, end: number, previousStart: number | undefined) {
  const { prefixChars, prefixTokens } = promptBudget(engine.info.contextTokens);
  for (let maxChars = prefixChars; ; maxChars = Math.floor(maxChars * 0.7)) {
    const start = prefixStart(text, end, maxChars, previousStart);
    const tokens = tokenizeText(engine, text.slice(start, end));
    if (tokens.length <= prefixTokens || maxChars < 16) return { start, tokens };
  }
}

/** The window's start moves in jumps of a quarter, so that most new anchors still share the prefix's first tokens. */
function prefixStart(text: Text, end: number, maxChars: number, previous: number | undefined): number {
  if (end <= maxChars) return 0;
  const length = previous === undefined ? 0 : end - previous;
  if (previous !== undefined && length >= maxChars / 2 && length <= maxChars) return previous;
  return windowStart(text, end, Math.floor(maxChars * 0.75));
}

/** Whether what the anchor says of the document is so, but for what of the suffix is gone. */
export function stillHolds(anchor: Anchor, document: CursorDocument): boolean {
  const { text, offset } = document;
  const isNear = offset >= anchor.offset && offset - anchor.offset <= maxGivenChars;
  if (!isNear || !text.startsWith(anchor.prefix, anchor.start)) return false;
  return suffixState(anchor, document) !== 'another';
}

/**
 * What became of the frozen suffix. Where the cursor has gone over the brackets that it begins with (overrun), as at the
 * end of a block that the editor has closed, or where its beginning was deleted, the anchor serves on until another one
 * has been read: what is shown is trimmed against the text that there is.
 */
export type SuffixState = 'frozen' | 'overrun' | 'deleted' | 'another';

export function suffixState({ suffix, cursor }: Anchor, { text, offset }: CursorDocument): SuffixState {
  if (hasFrozenSuffix(suffix, text, offset)) return 'frozen';
  let isOverrun = true;
  for (let gone = 1; gone <= Math.min(maxGone, suffix.length); gone++) {
    isOverrun &&= gone <= maxAutoClosed && autoClosed.test(suffix.charAt(gone - 1));
    if (!hasFrozenSuffix(suffix.slice(gone), text, offset)) continue;
    if (isOverrun) return 'overrun';
    // A short rest may be found anywhere.
    const isSure = suffix.length - gone >= 40 || text.endsWith(suffix.slice(gone));
    return isSure && !wasPassed(suffix.slice(0, gone), text.slice(cursor, offset)) ? 'deleted' : 'another';
  }
  return 'another';
}

/** Whether the cursor has moved over the text instead. Over a few characters it makes no difference. */
function wasPassed(gone: string, sinceThen: string): boolean {
  return gone.length > 3 && sinceThen.includes(gone.slice(0, 16));
}

// What the editor closed right of the cursor goes when it is typed over, and with a line break moves to a line of its own:
// it stays out of the suffix, and what the completion repeats of it is trimmed.
const autoClosed = /[)\]}>"'`;,\s]/;
const maxAutoClosed = 80;
// A few lines; where more was deleted, the suffix says too much that is not so.
const maxGone = 200;

function hasFrozenSuffix(suffix: string, text: Text, offset: number): boolean {
  for (let at = offset; at <= offset + maxAutoClosed; at++) {
    if (suffix === '' ? at >= text.length : text.startsWith(suffix, at)) return true;
    if (!autoClosed.test(text.charAt(at))) return false;
  }
  return false;
}

/** Length of the closing brackets and quotes right of the offset, if nothing follows them in the line. */
function closersAt(text: Text, offset: number): number {
  return /^[)\]}>"'`][)\]}>"'`;,]*(?=\r?\n|$)/.exec(text.slice(offset, offset + maxAutoClosed))?.[0].length ?? 0;
}
