// Time limits, in real time. They must not count time in which this process cannot run.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Timeout, Unresponsive, within } from '../../../extension/connection/timeout.ts';

/** Keeps the whole process busy, as another extension might, or as if the computer slept. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function watched(ms: number, onSilence: () => void): Timeout {
  const timeout = new Timeout(ms);
  void timeout.over.then(onSilence);
  return timeout;
}

test('a timeout gives up work that takes too long', async () => {
  await expect(within(500, new Promise(() => {}))).rejects.toBeInstanceOf(Unresponsive);
});

test('the result or error of work that is done in time is passed on', async () => {
  expect(await within(60_000, sleep(1, 'done'))).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('time in which this process cannot run does not count', async () => {
  const onSilence = vi.fn();
  const timeout = watched(3000, onSilence);
  for (let i = 0; i < 3; i++) {
    await sleep(1);
    block(1500);
  }
  await sleep(1);
  expect(onSilence).not.toHaveBeenCalled();
  timeout.end();
});

test('messages that arrived while the process could not run are handled before a limit ends', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[sender]] = (await Promise.all([once(server, 'connection'), once(receiver, 'connect')])) as [[Socket], []];
  const onSilence = vi.fn();
  const timeout = watched(1, onSilence);
  receiver.on('data', () => timeout.restart());
  sender.write('a sign of life');
  block(1000);
  await once(receiver, 'data');
  await setImmediate(); // by then, the limit would be over
  expect(onSilence).not.toHaveBeenCalled();
  timeout.end();
  receiver.destroy();
  server.close();
});

test('a timeout is reported only once, and never after the work is done', async () => {
  vi.useFakeTimers();
  const [reported, ended] = [vi.fn(), vi.fn()];
  watched(1000, reported);
  watched(1000, ended).end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reported).toHaveBeenCalledOnce();
  expect(ended).not.toHaveBeenCalled();
  vi.useRealTimers();
});
