// Builds fill-in-the-middle prompts from token ids. models/model-traits.ts has the differences between families of
// models. Document text is tokenized without special tokens, so a file may contain "<|fim_suffix|>".
import type { Completer } from '../../native/index.ts';

export interface FimPrompt {
  tokens: Uint32Array;
  /** The bytes of the tokens removed before the cursor (token healing). The answer must begin with these bytes. */
  heal?: Uint8Array;
}

/**
 * Limits of a prompt's parts. Limits in characters bound the tokenizer's work; limits in tokens bound the share of the
 * context that a part may use.
 */
export interface PromptBudget {
  prefixChars: number;
  suffixChars: number;
  prefixTokens: number;
  suffixTokens: number;
  /** From this many given tokens on, the next anchor is prepared. */
  nextAnchorTokens: number;
  /** The maximum number of given tokens. It leaves room for typing until the next anchor is ready. */
  givenTokens: number;
}

// The first starter model, with a context of 4096 tokens, was trained on prefixes of 4800 and suffixes of 1600
// characters: about 1300 and 430 tokens of ordinary code. Longer prefixes and suffixes slow the first answer on a CPU
// more than they improve it, so a longer context allows at most twice as many.
export function promptBudget(contextTokens: number): PromptBudget {
  const scale = Math.min(2, contextTokens / 4096);
  return {
    prefixChars: Math.floor(4800 * scale),
    suffixChars: Math.floor(1600 * scale),
    prefixTokens: Math.floor(1536 * scale),
    suffixTokens: Math.floor(512 * scale),
    nextAnchorTokens: Math.min(256, Math.floor(contextTokens / 16)),
    givenTokens: Math.min(768, Math.floor(contextTokens / 8)),
  };
}

export function canFillInTheMiddle(engine: Completer): boolean {
  const { special, suffixFirst } = engine.info;
  // If the prefix comes last, the middle follows it directly, and no fim_middle token is needed.
  return special.fimPrefix >= 0 && special.fimSuffix >= 0 && (special.fimMiddle >= 0 || suffixFirst);
}

/** Tokenizes text with line feeds only, as in training. */
export function tokenizeText(engine: Completer, text: string): Uint32Array {
  return text === '' ? new Uint32Array() : engine.tokenize(text.replaceAll('\r\n', '\n'));
}

export function concatTokens(...parts: (Uint32Array | number)[]): Uint32Array {
  const arrays = parts.map((part) => (typeof part === 'number' ? Uint32Array.of(part) : part));
  const joined = new Uint32Array(arrays.reduce((length, array) => length + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    joined.set(array, at);
    at += array.length;
  }
  return joined;
}

/** The prompt up to fim_middle: the preamble, then prefix and suffix in the model's order. */
export function fimHead(
  engine: Completer,
  prefix: Uint32Array,
  suffix: Uint32Array,
  preamble: Uint32Array = new Uint32Array(),
) {
  const { bosToken, suffixFirst, special } = engine.info;
  const before = [special.fimPrefix, prefix];
  const after = [special.fimSuffix, suffix];
  const parts = suffixFirst ? [...after, ...before] : [...before, ...after];
  const present = (token: number) => (token < 0 ? [] : [token]);
  return concatTokens(...present(bosToken), preamble, ...parts, ...present(special.fimMiddle));
}

// Three tokens cover nearly every unfinished word: if the tokenizer sees only " nu" of " number", it makes " n" and
// "u". Each removed token costs one decode step.
const maxHealedTokens = 3;
const lineFeed = 10;

/**
 * Appends the given beginning of the middle to a head that ends with fim_middle, with token healing. The cursor may be
 * inside one of the model's tokens, as after "nu" of " number" or after four of eight spaces of an indentation. So the
 * last given tokens are removed, and the engine generates a text that begins with the same bytes.
 */
export function withGivenMiddle(engine: Completer, head: Uint32Array, given: Uint32Array): FimPrompt {
  let kept = given.length;
  let heal = new Uint8Array();
  while (kept > 0 && given.length - kept < maxHealedTokens) {
    const bytes = engine.tokenBytes(given[kept - 1] ?? 0);
    // Healing stops at a line feed, since no token contains a line feed and text of the next line.
    if (bytes.includes(lineFeed) || (heal.length > 0 && !isInsideWord(bytes, heal))) break;
    heal = Uint8Array.of(...bytes, ...heal);
    kept--;
  }
  const tokens = concatTokens(head, given.subarray(0, kept));
  return heal.length > 0 ? { tokens, heal } : { tokens };
}

function isInsideWord(before: Uint8Array, after: Uint8Array): boolean {
  return isWordByte(before[before.length - 1]) && isWordByte(after[0]);
}

// All UTF-8 bytes of letters outside ASCII are 0x80 or above.
function isWordByte(byte = 0): boolean {
  return byte >= 0x80 || /\w/.test(String.fromCharCode(byte));
}
