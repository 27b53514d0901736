// A lock file: only the window that owns it writes the download. The owner touches the file every two seconds. If a
// waiting window sees that nobody touches it, the owner has ended. The shared server could not grant the lock: windows
// with different versions of Hearth have different servers but the same folder, and a download continues while the
// server restarts or cannot run.
import { randomUUID } from 'node:crypto';
import { lstat, open, readFile, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LockPace {
  /** How often the owner touches the file. */
  heartbeatMs: number;
  /** If nobody touches the file for this long, its owner has ended. */
  staleMs: number;
}

const defaultPace: LockPace = { heartbeatMs: 2000, staleMs: 15_000 };

export interface Lock {
  /**
   * Aborted when another window has taken the lock over, because this window did not touch the file for too long, for
   * example while the computer slept.
   */
  readonly lost: AbortSignal;
  /** Whether this window still holds the lock. */
  check(): Promise<boolean>;
  release(): Promise<void>;
}

/** Waits until the lock is free, and takes it. onWait: called once if there is a wait. Rejects if aborted. */
export async function takeLock(
  path: string,
  signal: AbortSignal,
  onWait: () => void = () => undefined,
  pace = defaultPace,
): Promise<Lock> {
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  const pauseMs = pace.heartbeatMs / 4;
  const isAbandoned = watch(path, pace.staleMs / pauseMs);
  const pause = () => sleep(pauseMs, undefined, { signal });
  let takesOver = false;
  let hasWaited = false;
  for (;;) {
    signal.throwIfAborted();
    if (await create(path, owner)) {
      // Another window that has seen the same abandoned lock may be about to remove this new one in its place.
      if (takesOver) await pause();
      if (!takesOver || (await isOwnedBy(path, owner))) return hold(path, owner, pace);
    } else if (await isAbandoned()) {
      await rm(path, { force: true, recursive: true });
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
    await file
      .writeFile(owner)
      .catch((error: unknown) => rm(path).then(() => Promise.reject(error)))
      .finally(() => file.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function hold(path: string, owner: string, { heartbeatMs }: LockPace): Lock {
  const lost = new AbortController();
  const check = async () => {
    if (!(await isOwnedBy(path, owner))) lost.abort();
    return !lost.signal.aborted;
  };
  const beat = setInterval(async () => {
    const now = new Date();
    if (await check()) await utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs);
  const release = async () => {
    clearInterval(beat);
    if (await check()) await rm(path, { force: true });
  };
  return { lost: lost.signal, check, release };
}

async function isOwnedBy(path: string, owner: string): Promise<boolean> {
  return (await readFile(path, 'utf8').catch(() => '')) === owner;
}

/**
 * Returns a function that tells whether the lock's owner has ended. Call it at regular intervals. Only changes of the
 * lock's date count, not the date itself: clocks differ between machines and can be set. Calls are counted instead of
 * time: while the computer sleeps, or this process cannot run, the owner may not run either.
 */
function watch(path: string, maxLooks: number): () => Promise<boolean> {
  let touchedAt = Number.NaN;
  let looks = 0;
  return async () => {
    try {
      const { mtimeMs } = await lstat(path);
      looks = mtimeMs === touchedAt ? looks + 1 : 0;
      touchedAt = mtimeMs;
      if (looks > maxLooks) return true;
      const { host, pid } = JSON.parse(await readFile(path, 'utf8')) as { host: string; pid: number };
      return host === hostname() && !isRunning(pid);
    } catch {
      // The lock has just been released, or its owner has not written its content yet.
      return false;
    }
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
