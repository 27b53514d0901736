// The cursor may stand inside what the model knows as one token: "nu" of " number", four spaces of an indentation of
// eight. The last given tokens are taken back, and the engine writes them again under the constraint that the text
// begins with their bytes.
import type { Engine } from '../../native/index.ts';
import { concatTokens, type FimPrompt } from './fim-prompt.ts';

// " nu" is " n" and "u" to a tokenizer that sees no more of the word. Three tokens bring back nearly every word begun;
// each costs a step of decoding.
const maxTakenBack = 3;
const lineFeed = 10;

/** Appends the middle's given beginning to a head that ends with fim_middle. */
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
