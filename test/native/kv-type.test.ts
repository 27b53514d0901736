// An engine with an int8 KV cache. As with f16, warm and cold answers have the same bits. They differ little from
// answers with f16.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, type LoadOptions, loadEngine } from '../../native/index.ts';

const root = join(import.meta.dirname, '../..');
const modelPath = join(root, 'models/starter.gguf');
const load = (options: Partial<LoadOptions> = {}) =>
  loadEngine({ modelPath, kvType: 'int8', cacheBytes: 2 ** 26, ...options });

let engine: Engine;
let f16: Engine;
let tokens: Uint32Array;
beforeAll(async () => {
  [engine, f16] = [await load(), await load({ kvType: 'f16' })];
  tokens = engine.tokenize(readFileSync(join(root, 'kernels/cpu/attention.cc'), 'utf8')).subarray(0, 600);
});
afterAll(() => Promise.all([engine.close(), f16.close()]));

const row = (logits: Float32Array, i: number) => {
  const { vocabulary } = engine.info;
  return logits.subarray(i * vocabulary, (i + 1) * vocabulary);
};

test('the same memory holds nearly twice as many tokens, and the engine reports its KV type', () => {
  expect([engine.info.kvType, f16.info.kvType]).toEqual(['int8', 'f16']);
  const [small, large] = [engine.status().cache, f16.status().cache];
  // int8 takes one byte per value, and a scale of two bytes per 32 values.
  expect(small.pageBytes / large.pageBytes).toBeCloseTo(34 / 64, 6);
  expect(small.pagesTotal).toBe(Math.floor(2 ** 26 / small.pageBytes));
});

test('logits have the same bits with a warm and a cold cache, however the prompt got into the cache', async () => {
  const cold = await engine.logits(tokens);
  for (const length of [1, 31, 32, 33, 64, 257, tokens.length]) {
    await engine.clearCache();
    await engine.prefill(tokens.subarray(0, Math.ceil(length / 3)), 'background');
    await engine.prefill(tokens.subarray(0, Math.max(1, length - 1)));
    expect(await engine.lastLogits(tokens.subarray(0, length))).toEqual(row(cold, length - 1));
  }
});

test('a prompt that differs from a cached one within a page gets the same answer as with a cold cache', async () => {
  const other = Uint32Array.from(tokens.subarray(0, 301));
  other[290] = 7;
  await engine.prefill(tokens);
  const warm = await engine.lastLogits(other);
  expect(warm).toEqual(row(await engine.logits(other), 300));
  expect(await engine.lastLogits(tokens)).toEqual(row(await engine.logits(tokens), tokens.length - 1));
});

test('drafts and any number of threads do not change the answer', async () => {
  const request = { tokens, maxTokens: 40 };
  const plain = await engine.generate({ ...request, speculate: false });
  const drafted = await engine.generate(request);
  const alone = await load({ threads: 1 });
  const single = await alone.generate(request);
  await alone.close();
  for (const answer of [drafted, single]) {
    expect(answer.tokens).toEqual(plain.tokens);
    expect(answer.logProbabilities).toEqual(plain.logProbabilities);
  }
});

test('the next token is nearly always the same as with f16', async () => {
  const [ours, exact] = [await engine.logits(tokens), await f16.logits(tokens)];
  const best = (logits: Float32Array) => logits.indexOf(logits.reduce((most, value) => Math.max(most, value)));
  const rows = Array.from(tokens, (_, i) => i);
  const same = rows.filter((i) => best(row(ours, i)) === best(row(exact, i)));
  expect(same.length / rows.length).toBeGreaterThan(0.95);
  const energy = exact.reduce((sum, value) => sum + value ** 2, 0);
  const error = exact.reduce((sum, value, i) => sum + (value - (ours[i] ?? Number.NaN)) ** 2, 0);
  expect(error / energy).toBeLessThan(1e-3);
});

test('the error for an unknown type names the type', async () => {
  const wrong = load({ kvType: 'int4' as 'int8' });
  await expect(wrong).rejects.toMatchObject({
    code: 'bad-argument',
    message: 'the KV cache must be f16 or int8, not "int4"',
  });
});
