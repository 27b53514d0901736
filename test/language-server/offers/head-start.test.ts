import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { GhostCompletion, OnGrowth } from '../../../language-server/offers/complete.ts';
import { firstWithText } from '../../../language-server/offers/head-start.ts';
import { noTimings } from '../../../language-server/protocol/messages.ts';
import type { Suggestion } from '../../../language-server/shape/shape.ts';
import { useFakeClock } from '../../support/fake-clock.ts';

useFakeClock();

const suggestion = (text: string): Suggestion => ({ text, replaces: 0, probability: 1 });
const result = (...texts: string[]): GhostCompletion => ({
  suggestions: texts.map(suggestion),
  reason: texts.length > 0 ? null : 'cancelled',
  finishReason: 'stop',
  timings: noTimings,
});

interface Plan {
  /** The time until the first text, or until the end if there is none. */
  ms: number;
  texts: string[];
  /** Fails after this number of texts. */
  failsAfter?: number;
}

/** A model that follows a plan and records its calls. */
function model({ ms, texts, failsAfter = Number.POSITIVE_INFINITY }: Plan) {
  const seen = { isAsked: false, isAborted: false };
  const generate = async (onGrowth: OnGrowth, signal: AbortSignal) => {
    seen.isAsked = true;
    signal.addEventListener('abort', () => {
      seen.isAborted = true;
    });
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    for (const [i, text] of texts.entries()) {
      if (i >= failsAfter) throw new Error('failed');
      if (signal.aborted) return result();
      onGrowth(suggestion(text));
      await setImmediate();
    }
    if (failsAfter <= texts.length) throw new Error('failed');
    return signal.aborted ? result() : result(...texts.slice(-1));
  };
  return { generate, seen };
}

async function run(server: Plan, local: Plan, headStartMs = 60, signal = new AbortController().signal) {
  const [there, here] = [model(server), model(local)];
  const texts: string[] = [];
  const onGrowth = ({ text }: Suggestion) => texts.push(text);
  const { suggestions } = await firstWithText(there.generate, here.generate, headStartMs)(onGrowth, signal);
  return { texts, last: suggestions[0]?.text, there: there.seen, here: here.seen };
}

const far = ['a', 'a server'];
const near = ['b', 'b here'];

test.each<[string, Plan, Plan, string[], { isAsked: boolean }]>([
  [
    "if the server's text comes in time, the local model is not asked",
    { ms: 0, texts: far },
    { ms: 0, texts: near },
    far,
    { isAsked: false },
  ],
  [
    'if the server says in time that there is no text, the local model is not asked',
    { ms: 0, texts: [] },
    { ms: 0, texts: near },
    [],
    { isAsked: false },
  ],
  [
    'if the server is slow, the local text is shown',
    { ms: 5000, texts: far },
    { ms: 0, texts: near },
    near,
    { isAsked: true },
  ],
  [
    'if the server still comes first, its text is shown',
    { ms: 120, texts: far },
    { ms: 5000, texts: near },
    far,
    { isAsked: true },
  ],
  [
    'if the server fails, the local text is shown',
    { ms: 0, texts: far, failsAfter: 0 },
    { ms: 0, texts: near },
    near,
    { isAsked: true },
  ],
  [
    "if the local model has no text, the slow server's is shown",
    { ms: 200, texts: far },
    { ms: 0, texts: [] },
    far,
    { isAsked: true },
  ],
  [
    'if the local model fails and the server has no text, nothing is shown',
    { ms: 120, texts: [] },
    { ms: 0, texts: [], failsAfter: 0 },
    [],
    { isAsked: true },
  ],
  ['if neither has text, nothing is shown', { ms: 120, texts: [] }, { ms: 0, texts: [] }, [], { isAsked: true }],
])('%s', async (_, server, local, texts, here) => {
  const seen = await run(server, local);
  expect(seen.texts).toEqual(texts);
  expect(seen.last).toBe(texts.at(-1));
  expect(seen.here).toMatchObject(here);
});

test('the slower model is stopped', async () => {
  const slow = await run({ ms: 5000, texts: far }, { ms: 0, texts: near });
  expect(slow.there.isAborted).toBe(true);
  const fast = await run({ ms: 120, texts: far }, { ms: 5000, texts: near });
  expect(fast.here.isAborted).toBe(true);
});

test('if the server fails after its text was shown, the text stays, and the local model adds nothing', async () => {
  const seen = await run({ ms: 0, texts: ['a', 'a s', 'a server'], failsAfter: 2 }, { ms: 0, texts: near });
  expect([seen.texts, seen.last, seen.here.isAsked]).toEqual([['a', 'a s'], 'a s', false]);
});

test('without a limit, the local model answers only after a failure', async () => {
  const patient = await run({ ms: 200, texts: far }, { ms: 0, texts: near }, Number.POSITIVE_INFINITY);
  expect([patient.texts, patient.here.isAsked]).toEqual([far, false]);
  const failing = { ms: 10, texts: far, failsAfter: 0 };
  await expect(run(failing, failing, Number.POSITIVE_INFINITY)).rejects.toThrow('failed');
});

test('the next key stops both models', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 150);
  const seen = await run({ ms: 60_000, texts: far }, { ms: 60_000, texts: near }, 60, abort.signal);
  expect(seen).toMatchObject({ texts: [], there: { isAborted: true }, here: { isAsked: true, isAborted: true } });
});
