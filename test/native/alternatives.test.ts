// Alternatives are computed in one batch, but each equals the answer that continues its first token alone.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, loadEngine } from '../../native/index.ts';
import { logSoftmax } from '../support/log-softmax.ts';

const models = {
  starter: join(import.meta.dirname, '../../models/starter.gguf'),
  'tiny random': join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf'),
};
const code = `export function sum(values: number[]): number {
  let total = 0;
  for (const value of values) {
`;

describe.each(Object.entries(models))('%s', (name, modelPath) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await loadEngine({ modelPath });
  });
  afterAll(() => engine.close());

  test('each alternative equals the answer that continues its first token alone', async () => {
    const tokens = engine.tokenize(code);
    const maxTokens = 20;
    const main = await engine.generate({ tokens, maxTokens });
    const answer = await engine.generate({ tokens, maxTokens, alternatives: 4 });
    expect(answer).toMatchObject({ text: main.text, tokens: main.tokens });
    const { text, logProbabilities } = main;
    expect(answer.alternatives[0]).toEqual({ text, tokens: main.tokens, logProbabilities });
    expect(answer.alternatives.length).toBeGreaterThan(1);
    const special = Object.values(engine.info.special);
    const logits = await engine.lastLogits(tokens);
    const likely = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0)).slice(0, 4);
    for (const alternative of answer.alternatives) {
      const first = alternative.tokens.subarray(0, 1);
      expect(likely).toContain(first[0]);
      if (special.includes(first[0] ?? -1)) {
        expect(alternative.tokens).toEqual(first);
        continue;
      }
      await engine.clearCache();
      const alone = await engine.generate({
        tokens: Uint32Array.from([...tokens, ...first]),
        maxTokens: maxTokens - 1,
      });
      expect(alternative.tokens).toEqual(Uint32Array.from([...first, ...alone.tokens]));
      expect(alternative.logProbabilities.subarray(1)).toEqual(alone.logProbabilities);
      expect(alternative.logProbabilities[0]).toBeCloseTo(logSoftmax(logits, first[0] ?? 0), 4);
    }
  });

  test('healed alternatives all begin with the given bytes', async () => {
    const tokens = engine.tokenize(`${code}    total`);
    const heal = new TextEncoder().encode('tot');
    const prompt = tokens.subarray(0, -1);
    const answer = await engine.generate({ tokens: prompt, heal, maxTokens: 8, alternatives: 3 });
    expect(answer.alternatives.length).toBeGreaterThan(1);
    for (const { text, tokens: chosen } of answer.alternatives) {
      const whole = engine.detokenize(chosen).replace(/^ +/, '');
      expect(whole.startsWith('tot') || 'tot'.startsWith(whole)).toBe(true);
      if (name === 'starter') expect(whole).toBe(`tot${text}`);
    }
    const main = await engine.generate({ tokens: prompt, heal, maxTokens: 8 });
    expect(answer.alternatives[0]?.text).toBe(main.text);
  });

  test('only the main answer is streamed, and a single answer has no alternatives', async () => {
    const tokens = engine.tokenize(code);
    const pieces: string[] = [];
    const several = await engine.generate({ tokens, maxTokens: 12, alternatives: 3 }, (text) => pieces.push(text));
    expect(pieces.join('')).toBe(several.text);
    expect((await engine.generate({ tokens, maxTokens: 2 })).alternatives).toEqual([]);
    await expect(engine.generate({ tokens, maxTokens: 2, alternatives: 5 })).rejects.toThrow('1, 2, 3 or 4');
  });

  test('a request ends when the caller ends its only answer', async () => {
    const tokens = engine.tokenize(code);
    const whole = await engine.generate({ tokens, maxTokens: 40 });
    let text = '';
    const answer = await engine.generate({ tokens, maxTokens: 400 }, (piece) => {
      text += piece;
      return text.length >= 10;
    });
    expect(answer.finishReason).toBe('stop');
    expect(answer.tokens.length).toBeLessThan(400);
    expect(answer.tokens.subarray(0, 3)).toEqual(whole.tokens.subarray(0, 3));
    expect(answer.text).toBe(text);
  });

  test('alternatives that the caller ends by their text are the same at any speed', async () => {
    const tokens = engine.tokenize(code);
    const length = 12;
    const asked = { tokens, alternatives: 4, streamAlternatives: true };
    const whole = await engine.generate({ ...asked, maxTokens: 60 });
    const wanted = whole.alternatives.map(({ text }) => text.slice(0, length));
    for (const slowMs of [0, 3, 15]) {
      const texts = ['', '', '', ''];
      const answer = await engine.generate({ ...asked, maxTokens: 60 }, (text, _, number) => {
        texts[number] += text;
        const until = performance.now() + slowMs;
        while (performance.now() < until);
        return (texts[number] ?? '').length >= length;
      });
      expect(answer.alternatives.map(({ text }) => text.slice(0, length))).toEqual(wanted);
      expect(answer.alternatives.map(({ text }) => text)).toEqual(texts);
    }
  });

  test('alternatives end early if the cache has no room for them', async () => {
    const { cache } = engine.status();
    const small = await loadEngine({ modelPath, cacheBytes: 16 * cache.pageBytes });
    const tokens = Uint32Array.from({ length: 15 * 32 - 40 }, (_, i) => 300 + (i % 97));
    const alone = await small.generate({ tokens, maxTokens: 40 });
    const answer = await small.generate({ tokens, maxTokens: 40, alternatives: 4 });
    expect(answer).toMatchObject({ tokens: alone.tokens, finishReason: alone.finishReason });
    expect(small.status().cache.pagesHeld).toBe(0);
    await small.close();
  });
});
