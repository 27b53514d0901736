import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a lock is there while it is held', async () => {
  const release = await takeLock(path, signal, undefined, pace);
  expect(existsSync(path)).toBe(true);
  await release();
  expect(existsSync(path)).toBe(false);
});

test('the second owner gets the lock when the first releases it, however long that takes', async () => {
  const order: string[] = [];
  const release = await takeLock(path, signal, undefined, pace);
  const second = takeLock(path, signal, () => order.push('waits'), pace).then((next) => {
    order.push('second');
    return next();
  });
  await new Promise((resolve) => setTimeout(resolve, 2 * pace.staleMs));
  order.push('released');
  await release();
  await second;
  expect(order).toEqual(['waits', 'released', 'second']);
});

test('a lock of a process that has ended is taken over at once', async () => {
  // No process has this number: the largest that Linux gives is 2^22.
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: 2 ** 30, id: 'x' }));
  await (await takeLock(path, signal, () => expect.unreachable(), { ...pace, staleMs: 1e6 }))();
});

test('a lock of another machine is taken over when it has not been touched for long', async () => {
  writeFileSync(path, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
  const old = new Date(Date.now() - 1000);
  utimesSync(path, old, old);
  await (await takeLock(path, signal, () => expect.unreachable(), pace))();
});

test('of many that find a lock abandoned only one at a time holds it', async () => {
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: 2 ** 30, id: 'x' }));
  let holders = 0;
  let most = 0;
  const use = async () => {
    const release = await takeLock(path, signal, undefined, { ...pace, staleMs: 1e6 });
    most = Math.max(most, ++holders);
    await new Promise((resolve) => setTimeout(resolve, 5));
    holders--;
    await release();
  };
  await Promise.all(Array.from({ length: 8 }, use));
  expect(most).toBe(1);
});

test('waiting ends when the user cancels', async () => {
  const release = await takeLock(path, signal, undefined, pace);
  const abort = new AbortController();
  const second = takeLock(path, abort.signal, () => abort.abort(), pace);
  await expect(second).rejects.toThrow('aborted');
  await release();
});
