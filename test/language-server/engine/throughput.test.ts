import { expect, test } from 'vitest';
import { Throughput } from '../../../language-server/engine/throughput.ts';
import { noTimings } from '../../../language-server/protocol/messages.ts';

const answer = { ...noTimings, promptTokens: 100, cachedTokens: 80, prefillMs: 10, completionTokens: 5, decodeMs: 100 };

function check(answers: (typeof answer)[], decode: number | undefined, prefill: number | undefined): void {
  const throughput = new Throughput();
  for (const timings of answers) throughput.add(timings);
  expect(throughput.decodeTokensPerSecond).toBe(decode);
  expect(throughput.prefillTokensPerSecond).toBe(prefill);
}

test('knows no speed before the first answer', () => check([], undefined, undefined));

test('leaves out answers from memory', () => check([noTimings], undefined, undefined));

test('leaves out answers that were cancelled before their first token', () =>
  check([{ ...answer, prefillMs: 1, completionTokens: 0, decodeMs: 0 }, answer], 50, 2000));

test('counts the prompt tokens that were evaluated', () => check([answer], 50, 2000));

test('weighs answers by their length', () =>
  check([answer, { ...answer, completionTokens: 25, decodeMs: 200 }], 100, 2000));

test('forgets old answers', () => {
  const slow = { ...answer, completionTokens: 1, decodeMs: 1000 };
  check([slow, ...Array.from({ length: 8 }, () => answer)], 50, 2000);
});
