// Builds fill-in-the-middle prompts from token ids. What differs between families of models is in
// models/model-traits.ts, which has a row for each family. Document text is tokenized separately and never parsed for
// special tokens, so a file may contain the text "<|fim_suffix|>".
import type { Completer } from '../../native/index.ts';

export interface FimPrompt {
  tokens: Uint32Array;
  /** Bytes of the tokens removed before the cursor (token healing); the answer must begin with them. */
  heal?: Uint8Array;
}

/**
 * Limits of a prompt's parts. Those in characters limit the tokenizer's work, those in tokens the part of the context
 * that is used.
 */
export interface PromptBudget {
  prefixChars: number;
  suffixChars: number;
  prefixTokens: number;
  suffixTokens: number;
  /** When this many tokens are given, the next anchor is prepared. */
  nextAnchorTokens: number;
  /** The most given tokens. It leaves room for what is typed until the next anchor is ready. */
  givenTokens: number;
}

// The first starter model, with a context of 4096 tokens, was trained on prefixes of 4800 and suffixes of 1600
// characters: about 1300 and 430 tokens of ordinary code. Longer ones slow the first answer on a CPU more than they
// improve it, so a longer context gets at most twice that.
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
  // If the prefix comes last, no fim_middle token is needed before the middle.
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

// Three tokens cover nearly every unfinished word: " nu" is " n" and "u" to a tokenizer that does not see the rest of
// " number". Each of them costs one decode step.
const maxHealedTokens = 3;
const lineFeed = 10;

/**
 * Appends the given beginning of the middle to a head that ends with fim_middle, with token healing: the cursor may be
 * inside what the model knows as one token, as after "nu" of " number" or four spaces of an indentation of eight. So
 * the last given tokens are removed, and the engine generates them again, constrained to begin with the same bytes.
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
