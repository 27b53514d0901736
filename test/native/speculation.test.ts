// Drafts make an answer faster and never change it. The tests make each request with and without drafts, and compare
// the answers token by token.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Completion, type Engine, type GenerateRequest, loadEngine } from '../../native/index.ts';

// The maximum number of passes for an answer that drafts predict, relative to one pass per token. The length of a draft
// depends on the current duration of passes, but another draft always follows a right one, so nearly every pass gives
// two tokens or more.
const maxPasses = 0.7;
const longestDraft = 11; // kMaxDraft of native/drafts/draft_record.h
const models = {
  starter: join(import.meta.dirname, '../../models/starter.gguf'),
  'tiny random': join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf'),
};
const repetitive = Array.from({ length: 8 }, (_, i) => `  readonly field${i}: string = read('field${i}');`).join('\n');
const fresh = `/** Sorts in place, stable. */
export function insertionSort<T>(values: T[], isLess: (a: T, b: T) => boolean): T[] {
  for (let i = 1; i < values.length; i++) {
`;

describe.each(Object.entries(models))('%s', (_, modelPath) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await loadEngine({ modelPath });
  });
  afterAll(() => engine.close());

  const prompt = (text: string) => engine.tokenize(text).map((token) => token % engine.info.vocabulary);

  async function both(request: GenerateRequest): Promise<{ plain: Completion; drafted: Completion }> {
    const plain = await engine.generate({ ...request, speculate: false });
    const pieces: string[] = [];
    const drafted = await engine.generate({ ...request, speculate: true }, (text) => pieces.push(text));
    expect(drafted.tokens).toEqual(plain.tokens);
    expect(drafted.text).toBe(plain.text);
    expect(drafted.finishReason).toBe(plain.finishReason);
    expect(drafted.logProbabilities).toEqual(plain.logProbabilities);
    expect(pieces.join('')).toBe(plain.text);
    return { plain, drafted };
  }

  test('a repetitive answer takes fewer passes', async () => {
    const once = repetitive.split('\n').slice(0, 3).join('\n');
    const text = `class Row {\n${once}\n}\n`;
    const { plain, drafted } = await both({ tokens: prompt(`${text.repeat(4)}class Row {\n`), maxTokens: 50 });
    expect(plain.timings.decodePasses).toBe(plain.tokens.length - 1);
    expect(drafted.timings.decodePasses).toBeLessThan(maxPasses * plain.timings.decodePasses);
  });

  test('an answer that occurs in a learned text takes fewer passes, and is the same', async () => {
    const tokens = prompt(`${fresh}    const value = values[i];\n`);
    const { tokens: answer } = await engine.generate({ tokens, maxTokens: 50, speculate: false });
    await engine.learn(Uint32Array.from([...tokens.subarray(-8), ...answer]));
    const { plain, drafted } = await both({ tokens, maxTokens: 50 });
    expect(drafted.timings.decodePasses).toBeLessThan(maxPasses * plain.timings.decodePasses);
  });

  test('a text with tokens outside the vocabulary is not learned', async () => {
    const unknown = Uint32Array.of(1, 2, engine.info.vocabulary);
    await expect(engine.learn(unknown)).rejects.toMatchObject({
      code: 'bad-argument',
      message: expect.stringContaining('outside the vocabulary'),
    });
  });

  test('an answer that drafts cannot predict is the same', async () => {
    await both({ tokens: prompt(fresh), maxTokens: 50 });
  });

  test('the token limit, a stop token and the end of the context end a drafted answer at the same token', async () => {
    const tokens = prompt(`class Row {\n${repetitive}\n`);
    const { plain } = await both({ tokens, maxTokens: 40 });
    for (const maxTokens of [1, 2, 3, 4, 5, 6, 7, 9, 12]) await both({ tokens, maxTokens });
    for (const stop of plain.tokens.subarray(0, 6)) {
      const { drafted } = await both({ tokens, maxTokens: 20, stopTokens: Uint32Array.of(stop) });
      expect(drafted).toMatchObject({ finishReason: 'stop' });
    }
    const small = await loadEngine({ modelPath, contextTokens: tokens.length + 19 });
    const cut = await small.generate({ tokens, maxTokens: 40, speculate: false });
    expect(await small.generate({ tokens, maxTokens: 40 })).toMatchObject({
      tokens: cut.tokens,
      finishReason: 'length',
    });
    expect(cut.tokens.length).toBeLessThan(20);
    await small.close();
  });

  test('sampled answers are the same', async () => {
    const sampling = { temperature: 0.3, topK: 5, topP: 0.9, minP: 0, seed: 11 };
    const tokens = prompt(`class Row {\n${repetitive}\n`);
    await both({ tokens, maxTokens: 40, sampling });
  });

  test('healed answers are the same', async () => {
    const tokens = prompt(`class Row {\n${repetitive}\n`);
    for (let n = tokens.length - 5; n < tokens.length; n++) {
      const heal = engine.tokenBytes(tokens[n] ?? 0);
      await both({ tokens: tokens.subarray(0, n), heal: heal.subarray(0, 1), maxTokens: 16 });
      await both({ tokens: tokens.subarray(0, n), heal, maxTokens: 16 });
    }
  });

  test('the healed tokens of the previous prompt are drafts in the pass that evaluates the next prompt', async () => {
    const tokens = prompt(fresh);
    const word = new TextEncoder().encode('configurationOf');
    let before: Uint32Array = new Uint32Array();
    let saved = 0;
    for (let n = 1; n <= word.length; n++) {
      const request = { tokens, heal: word.subarray(0, n), maxTokens: 24 };
      const healed = Math.min(tokensWithin(before, request.heal), longestDraft);
      const drafted = await engine.generate(request);
      const plain = await engine.generate({ ...request, speculate: false });
      expect(drafted.timings.decodePasses).toBeLessThanOrEqual(plain.timings.decodePasses - healed);
      expect(drafted.tokens).toEqual(plain.tokens);
      expect(drafted.text).toBe(plain.text);
      saved += healed;
      before = drafted.tokens;
    }
    expect(saved).toBeGreaterThan(0);
  });

  /** The number of tokens at the beginning of the answer that together write a prefix of the bytes. */
  function tokensWithin(tokens: Uint32Array, bytes: Uint8Array): number {
    let written = '';
    const isWithin = (token: number) => {
      written += Buffer.from(engine.tokenBytes(token)).toString('latin1');
      return Buffer.from(bytes).toString('latin1').startsWith(written);
    };
    const outside = tokens.findIndex((token) => !isWithin(token));
    return outside === -1 ? tokens.length : outside;
  }

  test('drafts leave only right pages in the cache', async () => {
    const tokens = prompt(`class Row {\n${repetitive}\n`);
    const { tokens: answer } = await engine.generate({ tokens, maxTokens: 60 });
    const all = Uint32Array.from([...tokens, ...answer]);
    const warm = await engine.lastLogits(all);
    await engine.clearCache();
    expect(await engine.lastLogits(all)).toEqual(warm);
  });
});
