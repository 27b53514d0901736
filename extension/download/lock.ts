// One window at a time writes a file. The lock is a file that its owner touches every few seconds: one that was not
// touched for long belongs to a window that is gone.
import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockPace {
  heartbeatMs: number;
  staleMs: number;
}

const usualPace: LockPace = { heartbeatMs: 2000, staleMs: 15_000 };

export type Release = () => Promise<void>;

/** Waits until the lock is free; onWait is called if it is not at once. Rejects when the signal aborts. */
export async function takeLock(
  path: string,
  signal: AbortSignal,
  onWait: () => void = () => undefined,
  pace = usualPace,
): Promise<Release> {
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  const pause = () => sleep(pace.heartbeatMs / 4, undefined, { signal });
  let takesOver = false;
  let hasWaited = false;
  for (;;) {
    signal.throwIfAborted();
    if (await create(path, owner)) {
      // Another window that found the same lock abandoned may be about to remove this one in its place.
      if (takesOver) await pause();
      if (!takesOver || (await isOwnedBy(path, owner))) return hold(path, owner, pace);
    } else if (await isAbandoned(path, pace)) {
      await rm(path, { force: true });
      takesOver = true;
    } else {
      if (!hasWaited) onWait();
      hasWaited = true;
      await pause();
    }
  }
}

async function create(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(owner).finally(() => file.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function hold(path: string, owner: string, { heartbeatMs }: LockPace): Release {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs);
  return async () => {
    clearInterval(beat);
    // After a long sleep of the machine another window may have taken it over.
    if (await isOwnedBy(path, owner)) await rm(path, { force: true });
  };
}

async function isOwnedBy(path: string, owner: string): Promise<boolean> {
  return (await readFile(path, 'utf8').catch(() => '')) === owner;
}

async function isAbandoned(path: string, { staleMs }: LockPace): Promise<boolean> {
  try {
    if (Date.now() - (await stat(path)).mtimeMs > staleMs) return true;
    const { host, pid } = JSON.parse(await readFile(path, 'utf8')) as { host: string; pid: number };
    return host === hostname() && !isRunning(pid);
  } catch {
    // It has just gone, or its owner is about to write its name.
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
