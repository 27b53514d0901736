// Time limits, in real time: they must not count while this process cannot run.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Silence, Unresponsive, within } from '../../extension/silence.ts';

/** Keeps the whole process busy, as another extension may, or as sleep of the computer does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function watched(ms: number, onSilence: () => void): Silence {
  const silence = new Silence(ms);
  void silence.noticed.then(onSilence);
  return silence;
}

test('work that takes too long is given up', async () => {
  await expect(within(500, new Promise(() => {}))).rejects.toBeInstanceOf(Unresponsive);
});

test('work that is done in time is waited for, and its errors are passed on', async () => {
  expect(await within(60_000, sleep(1, 'done'))).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('time in which this process cannot run does not count', async () => {
  const onSilence = vi.fn();
  const silence = watched(1000, onSilence);
  for (let i = 0; i < 3; i++) {
    await sleep(1);
    block(1500);
  }
  await sleep(1);
  expect(onSilence).not.toHaveBeenCalled();
  silence.end();
});

test('what has arrived while this process could not run is heard before a limit is over', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [sender] = (await once(server, 'connection')) as [Socket];
  const onSilence = vi.fn();
  const silence = watched(500, onSilence);
  receiver.on('data', () => silence.heard());
  await sleep(400);
  sender.write('a sign of life');
  block(1000);
  await once(receiver, 'data');
  await sleep(1);
  expect(onSilence).not.toHaveBeenCalled();
  silence.end();
  receiver.destroy();
  server.close();
});

test('a silence is reported once, and not after its end', async () => {
  vi.useFakeTimers();
  const [reported, ended] = [vi.fn(), vi.fn()];
  watched(1000, reported);
  watched(1000, ended).end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(reported).toHaveBeenCalledOnce();
  expect(ended).not.toHaveBeenCalled();
  vi.useRealTimers();
});
