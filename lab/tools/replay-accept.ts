// Measures how long the server takes to answer while somebody types along with ghost text, and after Tab accepts it. It
// should answer both from memory.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplayEditor } from './replay-editor.ts';
import { keyOf } from './replay-typing.ts';
import { type Percentiles, percentiles } from './statistics.ts';
import { cursorAfter, type Trace } from './trace.ts';

export interface AcceptReport {
  /** The number of accepted ghost texts. */
  accepted: number;
  /** The number of keys that agreed with the ghost text. */
  typedThrough: number;
  /** The time until the server's answer after such a key, and after accepting. */
  typedThroughMs: Percentiles;
  acceptedMs: Percentiles;
  /** The tokens that all these answers needed together. */
  tokensEvaluated: number;
}

// A person reads the ghost text before pressing Tab. Meanwhile the engine generates the text that follows it.
const readingMs = 1500;
const keysTypedAlong = 4;

/**
 * Goes to places along the trace until `wanted` ghost texts are accepted. At each place, types the beginning of the
 * ghost text, pauses to read, and accepts the rest.
 */
export async function acceptGhostTexts(editor: ReplayEditor, trace: Trace, wanted: number): Promise<AcceptReport> {
  const typedThroughMs: number[] = [];
  const acceptedMs: number[] = [];
  let tokensEvaluated = 0;
  // Tries twice as many places as wanted, since not every place has a ghost text.
  const stride = Math.max(1, Math.floor(trace.edits.length / (2 * wanted)));
  for (let i = stride - 1; i < trace.edits.length && acceptedMs.length < wanted; i += stride) {
    let at = editor.goTo(trace, i);
    await editor.complete(at).answer;
    await sleep(readingMs);
    // The offered text may have grown; then the editor has requested it again.
    const { text, replaces } = await editor.complete(at).answer;
    if (text === null || text.length <= keysTypedAlong) continue;
    const type = async (insert: string, times: number[], deleted = 0) => {
      const edit = { ...at, insert, behind: 0, deleted, atMs: 0 };
      at = cursorAfter(edit);
      const { fullMs, evaluated } = await keyOf(editor, editor.type(edit));
      times.push(fullMs);
      tokensEvaluated += evaluated;
    };
    for (const key of text.slice(0, keysTypedAlong)) await type(key, typedThroughMs);
    await sleep(readingMs);
    await type(text.slice(keysTypedAlong), acceptedMs, replaces);
  }
  return {
    accepted: acceptedMs.length,
    typedThrough: typedThroughMs.length,
    typedThroughMs: percentiles(typedThroughMs),
    acceptedMs: percentiles(acceptedMs),
    tokensEvaluated,
  };
}
