// The log-probability of each token agrees with the logits, does not depend on how the answer was computed, and is
// streamed.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Completion, type Engine, type GenerateRequest, loadEngine } from '../../native/index.ts';
import { logSoftmax, sum } from '../support/log-softmax.ts';

const models = {
  starter: join(import.meta.dirname, '../../models/starter.gguf'),
  'tiny random': join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf'),
};
const code = `export function total(items: Item[]): number {
  let total = 0;
  for (const item of items) {
    total += item.price;
  }
  return total;
}

export function count(items: Item[]): number {
  let count = 0;
`;

describe.each(Object.entries(models))('%s', (name, modelPath) => {
  let engine: Engine;
  let tokens: Uint32Array;
  beforeAll(async () => {
    engine = await loadEngine({ modelPath });
    tokens = engine.tokenize(code);
  });
  afterAll(() => engine.close());

  async function streamed(request: GenerateRequest) {
    const pieces: { text: string; logProbability: number }[] = [];
    const answer = await engine.generate(request, (text, logProbability) => pieces.push({ text, logProbability }));
    expect(pieces.map(({ text }) => text).join('')).toBe(answer.text);
    return { answer, pieces, total: sum(pieces.map(({ logProbability }) => logProbability)) };
  }

  test('each log-probability is the log-softmax of the logits at its position', async () => {
    const answer = await engine.generate({ tokens, maxTokens: 30 });
    const all = Uint32Array.from([...tokens, ...answer.tokens]);
    const logits = await engine.logits(all);
    const { vocabulary } = engine.info;
    expect(answer.logProbabilities.length).toBe(answer.tokens.length);
    for (const [i, token] of answer.tokens.entries()) {
      const row = logits.subarray((tokens.length - 1 + i) * vocabulary, (tokens.length + i) * vocabulary);
      expect(answer.logProbabilities[i]).toBeCloseTo(logSoftmax(row, token), 5);
      expect(answer.logProbabilities[i]).toBeLessThanOrEqual(0);
    }
  });

  test('log-probabilities have the same bits cold and warm, with and without drafts, alone and with others', async () => {
    const request = { tokens, maxTokens: 40 };
    await engine.clearCache();
    const cold = await engine.generate({ ...request, speculate: false });
    const others: Completion[] = [];
    for (const variation of [{ speculate: false }, {}, { alternatives: 4 }])
      others.push(await engine.generate({ ...request, ...variation }));
    await engine.clearCache();
    others.push(await engine.generate(request));
    for (const { tokens, logProbabilities } of others) {
      expect(tokens).toEqual(cold.tokens);
      expect(logProbabilities).toEqual(cold.logProbabilities);
    }
    const alone = await loadEngine({ modelPath, threads: 1 });
    expect((await alone.generate(request)).logProbabilities).toEqual(cold.logProbabilities);
    await alone.close();
  });

  test('while bytes are healed, probabilities are relative to the tokens that agree with them', async () => {
    const heal = new TextEncoder().encode('cou');
    const answer = await engine.generate({ tokens, heal, maxTokens: 8 });
    const logits = await engine.lastLogits(tokens);
    const agrees = (token: number) => {
      const bytes = Buffer.from(engine.tokenBytes(token)).toString('latin1');
      return bytes !== '' && (bytes.startsWith('cou') || 'cou'.startsWith(bytes));
    };
    const special = new Set<number>(Object.values(engine.info.special));
    const candidates = [...logits.keys()].filter((token) => !special.has(token) && agrees(token));
    const first = candidates.indexOf(answer.tokens[0] ?? -1);
    const among = Float32Array.from(candidates, (token) => logits[token] ?? 0);
    expect(answer.logProbabilities[0]).toBeCloseTo(logSoftmax(among, first), 5);
    const plain = await engine.generate({ tokens, heal, maxTokens: 8, speculate: false });
    expect(plain.logProbabilities).toEqual(answer.logProbabilities);
    expect(answer.logProbabilities.length).toBe(answer.tokens.length);
  });

  test('a sampled answer has log-probabilities, too', async () => {
    const sampling = { temperature: 0.8, topK: 20, topP: 1, minP: 0, seed: 3 };
    const answer = await engine.generate({ tokens, maxTokens: 12, sampling });
    const logits = await engine.logits(Uint32Array.from([...tokens, ...answer.tokens]));
    const { vocabulary } = engine.info;
    const last = answer.tokens.length - 1;
    const row = logits.subarray((tokens.length - 1 + last) * vocabulary, (tokens.length + last) * vocabulary);
    expect(answer.logProbabilities[last]).toBeCloseTo(logSoftmax(row, answer.tokens[last] ?? 0), 5);
  });

  test('the streamed values add up to the sum over all tokens that gave text', async () => {
    let maxPieces = 0;
    for (const request of [
      { tokens, maxTokens: 30 },
      { tokens, maxTokens: 30, speculate: false },
      { tokens, maxTokens: 30, heal: new TextEncoder().encode('coun') },
      { tokens: engine.tokenize("const names = ['é', 'ü', '漢字', '"), maxTokens: 30 },
    ]) {
      const { answer, pieces, total } = await streamed(request);
      maxPieces = Math.max(maxPieces, pieces.length);
      // An end token, or bytes of an incomplete character, may follow the last piece.
      const sums = [...answer.logProbabilities.keys()].map((i) => sum([...answer.logProbabilities.subarray(0, i + 1)]));
      const nearest = sums.reduce((best, value) => (Math.abs(value - total) < Math.abs(best - total) ? value : best));
      expect(total).toBeCloseTo(nearest, 10);
      const text = engine.detokenize(answer.tokens.subarray(0, sums.indexOf(nearest) + 1));
      expect(text.endsWith(answer.text)).toBe(true);
    }
    expect(maxPieces).toBeGreaterThan(5);
  });

  test('a piece counts all tokens since the previous piece, including healed ones and parts of characters', async () => {
    const heal = new TextEncoder().encode('count');
    const { answer, pieces } = await streamed({ tokens, heal, maxTokens: 12 });
    const counted = answer.tokens.findIndex((_, i) => engine.detokenize(answer.tokens.subarray(0, i + 1)).length > 5);
    expect(pieces[0]?.logProbability).toBeCloseTo(sum([...answer.logProbabilities.subarray(0, counted + 1)]), 10);
    if (name === 'starter')
      expect(pieces[1]?.logProbability).toBeCloseTo(answer.logProbabilities[counted + 1] ?? 0, 10);
  });
});
