// Fill-in-the-middle prompts by token id. Document text is tokenized apart from the special tokens and never parsed for
// them, so that a file may contain the text "<|fim_suffix|>".
import type { Engine } from '../../native/index.ts';

export interface FimPrompt {
  tokens: Uint32Array;
  /** Bytes of the tokens taken back at the cursor; the answer must begin with them. */
  heal?: Uint8Array;
}

/** Limits of a prompt's parts. Characters bound the tokenizer's work, tokens bound the context. */
export interface PromptBudget {
  prefixChars: number;
  suffixChars: number;
  prefixTokens: number;
  suffixTokens: number;
  /** Given tokens from which on the next anchor is made ready. */
  nextAnchorTokens: number;
  /** Most given tokens; far enough beyond, so that keys without a pause do not overtake the next anchor. */
  givenTokens: number;
}

// The starter model, of 4096 tokens, was trained on contexts of 4800 and 1600 characters, of ordinary code 1300 and 430
// tokens; longer ones make the first answer slow on a CPU before they make it better, so a larger model gets at most
// twice that.
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

export function canFillInTheMiddle(engine: Engine): boolean {
  const { special, suffixFirst } = engine.info;
  // Where the prefix stands last, the middle may go on behind it without a token between them.
  return special.fimPrefix >= 0 && special.fimSuffix >= 0 && (special.fimMiddle >= 0 || suffixFirst);
}

/** Text as the model saw it in training: with line feeds only. */
export function tokenizeText(engine: Engine, text: string): Uint32Array {
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

/** A prompt in the model's own order: the lead, prefix and suffix, and the middle to be written. */
export function fimHead(
  engine: Engine,
  prefix: Uint32Array,
  suffix: Uint32Array,
  lead: Uint32Array = new Uint32Array(),
) {
  const { bosToken, suffixFirst, special } = engine.info;
  const before = [special.fimPrefix, prefix];
  const after = [special.fimSuffix, suffix];
  const parts = suffixFirst ? [...after, ...before] : [...before, ...after];
  const present = (token: number) => (token < 0 ? [] : [token]);
  return concatTokens(...present(bosToken), lead, ...parts, ...present(special.fimMiddle));
}

// " nu" is " n" and "u" to a tokenizer that sees no more of the word. Three tokens bring back nearly every word begun;
// each costs a step of decoding.
const maxTakenBack = 3;
const lineFeed = 10;

/**
 * Appends the middle's given beginning to a head that ends with fim_middle. The cursor may stand inside what the model
 * knows as one token: "nu" of " number", four spaces of an indentation of eight. So the last given tokens are taken back,
 * and the engine writes them again under the constraint that the text begins with their bytes.
 */
export function withGivenMiddle(engine: Engine, head: Uint32Array, given: Uint32Array): FimPrompt {
  let kept = given.length;
  let heal = new Uint8Array();
  while (kept > 0 && given.length - kept < maxTakenBack) {
    const bytes = engine.tokenBytes(given[kept - 1] ?? 0);
    // At the start of a line nothing is taken back: tokens run over line ends only to hold more of them.
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

// Bytes of letters outside ASCII are all 0x80 or above.
function isWordByte(byte = 0): boolean {
  return byte >= 0x80 || /\w/.test(String.fromCharCode(byte));
}
