// The engine through its typed interface: equal bits with a warm and a cold cache, cancelling, healing, priorities.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, loadEngine } from '../../native/index.ts';

const modelPath = join(import.meta.dirname, '../../models/starter.gguf');
const code = `export function sum(values: number[]): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return total;
}

export function mean(values: number[]): number {
  return sum(`;

let engine: Engine;
beforeAll(async () => {
  engine = await loadEngine({ modelPath });
});
afterAll(() => engine.close());

const busyCode = code.repeat(12);

test('an answer is code that fits', async () => {
  const answer = await engine.generate({ tokens: engine.tokenize(code), maxTokens: 4 });
  expect(answer.text).toMatch(/values/);
  expect(answer.timings.promptTokens).toBe(engine.tokenize(code).length);
});

test('logits have the same bits with a warm and a cold cache, however the prompt got into the cache', async () => {
  const tokens = engine.tokenize(busyCode);
  const vocabulary = engine.info.vocabulary;
  const cold = await engine.logits(tokens);
  for (const length of [1, 31, 32, 33, 64, 100, 257, tokens.length]) {
    await engine.clearCache();
    await engine.prefill(tokens.subarray(0, Math.ceil(length / 3)), 'background');
    await engine.prefill(tokens.subarray(0, Math.max(1, length - 1)));
    const warm = await engine.lastLogits(tokens.subarray(0, length));
    expect(Buffer.from(warm.buffer).equals(bytes(cold.subarray((length - 1) * vocabulary, length * vocabulary)))).toBe(
      true,
    );
  }
});

test('a repeated prompt evaluates one token', async () => {
  const tokens = engine.tokenize(busyCode);
  await engine.prefill(tokens);
  const answer = await engine.generate({ tokens, maxTokens: 1 });
  expect(answer.timings.cachedTokens).toBe(tokens.length - 1);
});

test('a prompt that continues a generated text reuses its pages', async () => {
  const tokens = engine.tokenize(code);
  const answer = await engine.generate({ tokens, maxTokens: 8 });
  const longer = Uint32Array.from([...tokens, ...answer.tokens]);
  const timings = await engine.prefill(longer);
  // The last token was chosen but never evaluated.
  expect(timings.cachedTokens).toBeGreaterThanOrEqual(longer.length - 1);
});

test('healed text begins with the given bytes and is not repeated', async () => {
  const tokens = engine.tokenize(`${code}val`);
  const heal = engine.tokenBytes(tokens.at(-1) ?? 0);
  const prompt = tokens.subarray(0, -1);
  const answer = await engine.generate({ tokens: prompt, heal, maxTokens: 4 });
  const typed = engine.detokenize(tokens);
  expect(engine.detokenize(Uint32Array.from([...prompt, ...answer.tokens]))).toBe(typed + answer.text);
  expect(answer.text).toMatch(/^ues\)/);
});

test('streamed pieces add up to the text', async () => {
  const pieces: string[] = [];
  const answer = await engine.generate({ tokens: engine.tokenize(code), maxTokens: 24 }, (text) => pieces.push(text));
  expect(pieces.join('')).toBe(answer.text);
});

test('an aborted request soon ends as cancelled, and the engine answers the next one', async () => {
  const abort = new AbortController();
  const tokens = engine.tokenize(`${code}// ${Date.now()}`.repeat(20));
  const running = engine.generate({ tokens, maxTokens: 200 }, undefined, abort.signal);
  abort.abort();
  expect((await running).finishReason).toBe('cancelled');
  expect((await engine.generate({ tokens: engine.tokenize(code), maxTokens: 1 })).tokens.length).toBe(1);
});

test('a foreground request overtakes a background one', async () => {
  const order: string[] = [];
  const [long, short] = [engine.tokenize(`// background\n${busyCode}`), engine.tokenize(code)];
  const background = engine.generate({ tokens: long, maxTokens: 50, priority: 'background' });
  const foreground = engine.generate({ tokens: short, maxTokens: 2 });
  await Promise.all([background.then(() => order.push('background')), foreground.then(() => order.push('foreground'))]);
  expect(order).toEqual(['foreground', 'background']);
});

test('an interrupted background request gives the same text as one that is not interrupted', async () => {
  const tokens = engine.tokenize(`// twice\n${busyCode}`);
  const alone = await engine.generate({ tokens, maxTokens: 30 });
  await engine.clearCache();
  const interrupted = engine.generate({ tokens, maxTokens: 30, priority: 'background' });
  for (let i = 0; i < 10; i++) await engine.generate({ tokens: engine.tokenize(`${code}${i}`), maxTokens: 2 });
  expect((await interrupted).text).toBe(alone.text);
});

test('the same seed gives the same sampled text', async () => {
  const sampling = { temperature: 0.9, topK: 40, topP: 0.95, minP: 0, seed: 7 };
  const sample = () => engine.generate({ tokens: engine.tokenize(code), maxTokens: 12, sampling });
  expect((await sample()).text).toBe((await sample()).text);
});

test('scores agree with the logits', async () => {
  const tokens = engine.tokenize(code);
  const vocabulary = engine.info.vocabulary;
  const [scores, logits] = [await engine.score(tokens), await engine.logits(tokens)];
  expect(scores.length).toBe(tokens.length - 1);
  for (const [i, score] of scores.entries()) {
    const row = logits.subarray(i * vocabulary, (i + 1) * vocabulary);
    const sum = row.reduce((total, logit) => total + Math.exp(logit), 0);
    expect(score).toBeCloseTo(Math.log(sum) - (row[tokens[i + 1] ?? 0] ?? 0), 3);
  }
});

test('no page stays held once all requests are done', async () => {
  await engine.prefill(engine.tokenize(code));
  expect(engine.status()).toMatchObject({ state: 'idle', queued: 0, cache: { pagesHeld: 0 } });
});

test('each wrong argument gets its own error', async () => {
  const wrong = (code: string) => expect.objectContaining({ code });
  await expect(engine.prefill(new Uint32Array())).rejects.toEqual(wrong('bad-argument'));
  await expect(engine.prefill(Uint32Array.of(1e9))).rejects.toEqual(wrong('bad-argument'));
  await expect(engine.prefill(new Uint32Array(engine.info.contextTokens + 1))).rejects.toEqual(wrong('context-full'));
  expect(() => engine.detokenize(Uint32Array.of(1e9))).toThrow(wrong('bad-argument'));
  for (const threads of [-1, 0.5, 257])
    await expect(loadEngine({ modelPath, threads })).rejects.toThrow(`from 0 to 256, not ${threads}`);
});

function bytes(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}
