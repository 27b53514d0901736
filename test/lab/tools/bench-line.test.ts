import { expect, test } from 'vitest';
import { figureLine } from '../../../lab/tools/bench.ts';

const measure = {
  samples: [90, 100, 110],
  ops: [
    { op: 'qkv', ms: 1, calls: 1, bytes: 0 },
    { op: 'head', ms: 3, calls: 1, bytes: 0 },
  ],
};

test('a line of the bench names the operations that take the most time', () => {
  expect(figureLine('decode 64', measure, 'cpu')).toMatch(/^decode 64 +100\.0 tokens\/s {2}head 75 %, qkv 25 %$/);
});

test('with a GPU the line names no operations, since their times would be those of submitting work', () => {
  expect(figureLine('decode 64', measure, 'gpu')).toMatch(/^decode 64 +100\.0 tokens\/s$/);
});
