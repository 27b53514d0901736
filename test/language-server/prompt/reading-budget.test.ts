import { expect, test } from 'vitest';
import { ReadingBudget } from '../../../language-server/prompt/reading-budget.ts';
import { noTimings } from '../../../language-server/protocol/messages.ts';

/** The budget after requests of so many tokens that took so many ms. */
function budget(contextTokens: number, ...read: [tokens: number, ms: number][]): number {
  const reading = new ReadingBudget(contextTokens);
  for (const [tokens, prefillMs] of read) reading.note({ ...noTimings, promptTokens: tokens, prefillMs });
  return reading.tokens;
}

test('what is read in 400 ms, as measured', () => expect(budget(32_768, [1000, 1000])).toBe(400));

test('little before anything was measured', () => expect(budget(32_768)).toBe(256));

test('a fast machine fills no more than 1,536 tokens', () => expect(budget(32_768, [10_000, 100])).toBe(1536));

test('at most a sixteenth of the context', () => expect(budget(8192, [10_000, 100])).toBe(512));

test('nothing of a short context', () => expect(budget(1500, [10_000, 100])).toBe(0));

test('a slow machine reads a small function, if that takes a second at most', () => {
  expect(budget(32_768, [1000, 5000])).toBe(96);
  expect(budget(32_768, [1000, 10_000])).toBe(96);
});

test('a slower one reads nothing', () => expect(budget(32_768, [1000, 11_000])).toBe(0));

test('a machine that has become slower gets less', () => {
  expect(budget(32_768, [1000, 1000], [1000, 4000])).toBe(250);
});

test('a few tokens say nothing about speed', () => expect(budget(32_768, [1000, 1000], [2, 100])).toBe(400));
