// The verdicts of `npm run bench`: which goals a run has met.
import { expect, test } from 'vitest';
import type { Figure } from '../../../lab/bench/figures.ts';
import { goalLines, type Outcome } from '../../../lab/bench/goals.ts';

const figures = (values: Record<string, number>): Figure[] =>
  Object.entries(values).map(([what, value]) => ({
    ...{ what, value, min: value, max: value },
    ...{ unit: 'ms', others: undefined },
  }));

const outcome: Outcome = {
  model: { name: 'tiny', path: '', vocabulary: 0, prefillWeights: 1e9, streamedBytes: 1e9, kvBytes: 0 },
  variant: 'amx',
  ours: figures({
    ...{ 'prefill 512 at 0': 400, 'prefill 512 at 0 in matmuls': 500, 'prefill 32 at 0': 299, 'decode 64 at 0': 17 },
    ...{ 'batch 1': 10, 'batch 4': 11.5, 'batch 8': 17, load: 1500, memory: 101 },
  }),
  rivals: [
    {
      ...{ name: 'llama.cpp', label: 'another' },
      figures: figures({ 'prefill 512 at 0': 100, 'prefill 32 at 0': 100, 'decode 64 at 0': 10, memory: 100 }),
    },
    {
      ...{ name: 'ik_llama.cpp', label: 'its fork' },
      figures: figures({ 'prefill 512 at 0': 125, 'prefill 32 at 0': 110 }),
    },
  ],
  limits: { readGbPerSecond: 20, int8Gops: { amx: 10000, avx512vnni: 2000 } },
};

const verdicts = (outcomes: Outcome[]) => goalLines(outcomes).map((line) => line.trim().replace(/ {2,}/g, ' | '));

test('each measured goal is met or missed, and at exactly the limit it is met', () => {
  expect(verdicts([outcome])).toEqual([
    'goals with amx, llama.cpp being another, ik_llama.cpp being its fork',
    'tiny',
    'prefill 512 at least 4x of llama.cpp | 4.00x | ok',
    'prefill 32 at least 3x of llama.cpp | 2.99x MISS',
    'decode 64 at least 1.5x of llama.cpp | 1.70x | ok',
    'prefill 512 at least 3x of ik_llama.cpp | 3.20x | ok',
    'prefill 32 at least 3x of ik_llama.cpp | 2.72x MISS',
    'matmuls of prefill 512 at least 65 % of the int8 vector peak | 50 % MISS',
    'decode 64 at least 85 % of the read bandwidth | 85 % | ok',
    '4 tokens at most 1.15x of the time of one | 1.15x | ok',
    '8 tokens at most 1.6x of the time of one | 1.70x MISS',
    'most memory at most 1x of llama.cpp | 1.01x MISS',
    'loading at most 1.5 s | 1.50 s | ok',
    '6 of 11 met',
  ]);
});

test('a goal that was not measured is not missed', () => {
  const alone = { ...outcome, variant: 'avx2', rivals: [], ours: figures({ 'decode 64 at 0': 17 }), limits: undefined };
  expect(verdicts([alone])).toEqual([]);
  const lines = verdicts([outcome, { ...alone, variant: 'amx' }]);
  expect(lines).toContain('decode 64 at least 1.5x of llama.cpp | 1.70x | ok | -');
  expect(lines.at(-1)).toBe('6 of 11 met');
});
