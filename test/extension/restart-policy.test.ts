import { expect, test } from 'vitest';
import { RestartPolicy } from '../../extension/restart-policy.ts';

const second = 1000;

/** Dies at these times; answers with whether it was started again each time. */
function check(policy: RestartPolicy, times: number[], expected: boolean[]): void {
  expect(times.map((time) => policy.died(time * second))).toEqual(expected);
}

test('a server that never became ready gets one more try', () => {
  check(new RestartPolicy(), [0, 1, 2], [true, false, false]);
});

test('a server that was ready is started again four times', () => {
  const policy = new RestartPolicy();
  policy.ready(false);
  check(policy, [0, 1, 2, 3, 4], [true, true, true, true, false]);
});

test('crashes of long ago are forgotten', () => {
  const policy = new RestartPolicy();
  policy.ready(false);
  check(policy, [0, 1, 2, 3, 184, 185], [true, true, true, true, true, true]);
});

test('a GPU on which the server died twice is left alone', () => {
  const policy = new RestartPolicy();
  policy.died(0);
  expect(policy.avoidsGpu).toBe(false);
  policy.ready(true);
  policy.died(1);
  expect(policy.avoidsGpu).toBe(false);
  policy.ready(true);
  policy.died(2);
  expect(policy.avoidsGpu).toBe(true);
});

test('after three crashes the server does without what it can do without, until they are long ago', () => {
  const policy = new RestartPolicy();
  policy.ready(false);
  check(policy, [0, 1], [true, true]);
  expect(policy.isSafe).toBe(false);
  check(policy, [2], [true]);
  expect(policy.isSafe).toBe(true);
  check(policy, [300], [true]);
  expect(policy.isSafe).toBe(false);
});
