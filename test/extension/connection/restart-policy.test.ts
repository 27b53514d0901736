import { expect, test } from 'vitest';
import { RestartPolicy } from '../../../extension/connection/restart-policy.ts';

const second = 1000;

/** Lets the server crash at these times. expected: for each crash, whether the server is started again. */
function check(policy: RestartPolicy, times: number[], expected: boolean[]): void {
  expect(times.map((time) => policy.recordCrash(time * second))).toEqual(expected);
}

test('a server that was never ready gets one more try', () => {
  check(new RestartPolicy(), [0, 1, 2], [true, false, false]);
});

test('a server that was ready is started again four times', () => {
  const policy = new RestartPolicy();
  policy.recordReady(false);
  check(policy, [0, 1, 2, 3, 4], [true, true, true, true, false]);
});

test('old crashes are forgotten', () => {
  const policy = new RestartPolicy();
  policy.recordReady(false);
  check(policy, [0, 1, 2, 3, 184, 185], [true, true, true, true, true, true]);
});

test('a GPU is not used again after the server has crashed twice on it', () => {
  const policy = new RestartPolicy();
  policy.recordCrash(0);
  expect(policy.avoidsGpu).toBe(false);
  policy.recordReady(true);
  policy.recordCrash(1);
  expect(policy.avoidsGpu).toBe(false);
  policy.recordReady(true);
  policy.recordCrash(2);
  expect(policy.avoidsGpu).toBe(true);
});

test('after three crashes the server starts in safe mode, until the crashes are old', () => {
  const policy = new RestartPolicy();
  policy.recordReady(false);
  check(policy, [0, 1], [true, true]);
  expect(policy.isSafeMode).toBe(false);
  check(policy, [2], [true]);
  expect(policy.isSafeMode).toBe(true);
  check(policy, [300], [true]);
  expect(policy.isSafeMode).toBe(false);
});
