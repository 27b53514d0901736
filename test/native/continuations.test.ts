// Scoring several continuations of a prompt together gives each the same scores as scoring it alone, even if they share
// a prefix.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Continuation, type Engine, loadEngine } from '../../native/index.ts';

const models = {
  starter: join(import.meta.dirname, '../../models/starter.gguf'),
  'tiny random': join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf'),
};
const code = 'export function total(items: Item[]): number {\n  let total = 0;\n  for (const item of items) {\n';
const texts = [
  '    total += item.price;\n',
  '    total += item.price * item.count;\n',
  '    total',
  '    sum += item.price;\n  }\n  return sum;\n}\n',
  '}',
  '',
  '    total += item.price;\n',
];

const nothing = new Uint32Array();
const withNothingGiven = (tokenized: readonly Uint32Array[]): Continuation[] =>
  tokenized.map((scored) => ({ given: nothing, scored }));

describe.each(Object.entries(models))('%s', (_, modelPath) => {
  let engine: Engine;
  let tokens: Uint32Array;
  let tokenizedTexts: Uint32Array[];
  beforeAll(async () => {
    engine = await loadEngine({ modelPath, threads: 2 });
    tokens = engine.tokenize(code);
    tokenizedTexts = texts.map((text) => engine.tokenize(text));
  });
  afterAll(() => engine.close());

  /** Scores one continuation with a separate request, without the cache. */
  async function alone(text: Uint32Array): Promise<number[]> {
    const scores = await engine.score(Uint32Array.from([...tokens, ...text]));
    return [...scores.subarray(tokens.length - 1)].map((score) => 0 - score);
  }

  /** The number of tokens that the engine has evaluated so far. */
  const evaluated = () => engine.status().cache.missTokens;

  test("each continuation's scores have the same bits as if it were scored alone, with a cold or warm cache", async () => {
    const expected = await Promise.all(tokenizedTexts.map(alone));
    await engine.clearCache();
    const cold = await engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts));
    const warm = await engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts), 'background');
    expect(cold.map((scores) => [...scores])).toEqual(expected);
    expect(warm).toEqual(cold);
    expect(cold[5]).toHaveLength(0);
  });

  test('a shared prefix is evaluated once', async () => {
    await engine.prefill(tokens);
    const before = evaluated();
    const [a = new Uint32Array(), b = new Uint32Array()] = tokenizedTexts;
    await engine.scoreContinuations(tokens, withNothingGiven([a, b, a]));
    const nShared = a.findIndex((token, i) => token !== b[i]);
    // The prompt's last token is evaluated a second time; a text's last token is never evaluated.
    expect(evaluated() - before).toBe(1 + a.length - 1 + (b.length - nShared) - 1);
  });

  test('given tokens get no scores and do not affect the scores of other tokens', async () => {
    const all = await engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts));
    await engine.clearCache();
    for (const fraction of [1, 0.5, 0]) {
      const given = tokenizedTexts.map(({ length }, i) => Math.round(length * (i === 0 ? 1 - fraction : fraction)));
      const parts = tokenizedTexts.map((text, i) => ({ given: text.slice(0, given[i]), scored: text.slice(given[i]) }));
      const scores = await engine.scoreContinuations(tokens, parts);
      expect(scores.map((each) => [...each])).toEqual(all.map((each, i) => [...each.subarray(given[i])]));
    }
  });

  test('continuations that do not fit in one batch are all scored correctly', async () => {
    const long = engine.tokenize(code.repeat(4));
    const many = Array.from({ length: 24 }, (_, i) => engine.tokenize(`${' '.repeat(i % 7)}item${i} = ${code}`));
    const scores = await engine.scoreContinuations(tokens, withNothingGiven([long, ...many]));
    expect([...(scores[0] ?? [])]).toEqual(await alone(long));
    for (const i of [0, 11, 23]) expect([...(scores[i + 1] ?? [])]).toEqual(await alone(many[i] ?? long));
  });

  test('scoring continues after an interruption, and no page is held at the end', async () => {
    const expected = await engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts));
    await engine.clearCache();
    const background = engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts), 'background');
    const foreground = Array.from({ length: 5 }, (_, i) =>
      engine.generate({ tokens: tokens.subarray(i), maxTokens: 3 }),
    );
    await Promise.all(foreground);
    expect(await background).toEqual(expected);
    expect(engine.status().cache.pagesHeld).toBe(0);
  });

  test('an aborted request returns no scores, or all if it had already finished', async () => {
    const controller = new AbortController();
    const scores = engine.scoreContinuations(tokens, withNothingGiven(tokenizedTexts), 'background', controller.signal);
    controller.abort();
    expect([0, tokenizedTexts.length]).toContain((await scores).length);
    expect(engine.status().cache.pagesHeld).toBe(0);
  });

  test('requests that cannot be scored are refused', async () => {
    const wrong = Uint32Array.of(engine.info.vocabulary);
    await expect(engine.scoreContinuations(tokens, withNothingGiven([wrong]))).rejects.toThrow(
      'outside the vocabulary',
    );
    const tooLong = new Uint32Array(engine.info.contextTokens - tokens.length + 1);
    await expect(engine.scoreContinuations(tokens, withNothingGiven([tooLong]))).rejects.toThrow('the context holds');
    const tooMany = Array.from({ length: 65 }, () => Uint32Array.of(1));
    await expect(engine.scoreContinuations(tokens, withNothingGiven(tooMany))).rejects.toThrow('at most 64');
    expect(await engine.scoreContinuations(tokens, [])).toEqual([]);
  });
});
