import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLock } from '../../../extension/download/lock.ts';

const pace = { heartbeatMs: 20, staleMs: 200 };
const { signal } = new AbortController();

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-lock-'));
  path = join(folder, 'a.lock');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the lock file exists while the lock is held', async () => {
  const lock = await takeLock(path, signal, undefined, pace);
  expect(existsSync(path)).toBe(true);
  await lock.release();
  expect(existsSync(path)).toBe(false);
});

test('the second owner gets the lock when the first releases it, however long that takes', async () => {
  const order: string[] = [];
  const lock = await takeLock(path, signal, undefined, pace);
  const second = takeLock(path, signal, () => order.push('waits'), pace).then((next) => {
    order.push('second');
    return next.release();
  });
  await sleep(2 * pace.staleMs);
  order.push('released');
  await lock.release();
  await second;
  expect(order).toEqual(['waits', 'released', 'second']);
});

test('a lock is not taken over because its owner could not run, as long as the waiting window could not run either', async () => {
  const lock = await takeLock(path, signal, undefined, pace);
  const abort = new AbortController();
  let begun = () => {};
  const isWaiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const second = takeLock(path, abort.signal, begun, pace);
  await isWaiting;
  for (let i = 0; i < 3; i++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * pace.staleMs);
    await sleep(pace.heartbeatMs);
  }
  expect(await lock.check()).toBe(true);
  abort.abort();
  await expect(second).rejects.toThrow('aborted');
  await lock.release();
});

test('the lock of a process that has ended is taken over at once', async () => {
  // No process has this number: the largest number in Linux is 2^22.
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: 2 ** 30, id: 'x' }));
  await (await takeLock(path, signal, () => expect.unreachable(), { ...pace, staleMs: 1e6 })).release();
});

test.each([-86_400, 0, 86_400])(
  "another machine's lock is taken over if nobody touches it, even if dated %i s from now",
  async (seconds) => {
    writeFileSync(path, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
    const date = new Date(Date.now() + 1000 * seconds);
    utimesSync(path, date, date);
    await (await takeLock(path, signal, undefined, pace)).release();
    expect(existsSync(path)).toBe(false);
  },
);

test("a lock that its owner's clock dates in the future is not taken over while the owner lives", async () => {
  writeFileSync(path, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
  const abort = new AbortController();
  let beats = 0;
  const beat = setInterval(() => {
    const date = new Date(Date.now() + 86_400_000 + beats);
    utimesSync(path, date, date);
    if (++beats * pace.heartbeatMs > 3 * pace.staleMs) abort.abort();
  }, pace.heartbeatMs);
  await expect(takeLock(path, abort.signal, undefined, pace)).rejects.toThrow('aborted');
  clearInterval(beat);
});

test('a folder, a dangling link or a link to a folder in place of a lock does not block forever', async () => {
  const target = join(folder, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 'kept'), '');
  for (const to of ['', 'nowhere', target]) {
    if (to === '') mkdirSync(join(path, 'x'), { recursive: true });
    else symlinkSync(to, path);
    await (await takeLock(path, signal, undefined, pace)).release();
    expect(existsSync(path)).toBe(false);
  }
  expect(existsSync(join(target, 'kept'))).toBe(true);
});

test('if many windows find an abandoned lock, only one window at a time holds it', async () => {
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: 2 ** 30, id: 'x' }));
  let holders = 0;
  let most = 0;
  const use = async () => {
    const lock = await takeLock(path, signal, undefined, { ...pace, staleMs: 1e6 });
    most = Math.max(most, ++holders);
    await sleep(5);
    holders--;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 8 }, use));
  expect(most).toBe(1);
});

test('waiting ends when the user cancels', async () => {
  const lock = await takeLock(path, signal, undefined, pace);
  const abort = new AbortController();
  const second = takeLock(path, abort.signal, () => abort.abort(), pace);
  await expect(second).rejects.toThrow('aborted');
  await lock.release();
});

test('an owner that was suspended learns that another has taken over the lock', async () => {
  const lock = await takeLock(path, signal, undefined, pace);
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: process.pid, id: 'another' }));
  await once(lock.lost, 'abort');
  expect(await lock.check()).toBe(false);
  await lock.release();
  expect(existsSync(path)).toBe(true);
});
