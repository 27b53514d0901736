// A lock file, so that only one window at a time writes a download. Its owner touches it every few seconds; a lock that
// has not been touched for a while was left by a window that has ended.
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

/** Waits until the lock is free, and calls onWait first if it is held. Rejects when the signal aborts. */
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
      // Another window may have seen the same abandoned lock and be about to remove this new one by mistake.
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
    // Another window may have taken over the lock while the computer slept.
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
    // The lock has just been released, or its owner has not written its content yet.
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
