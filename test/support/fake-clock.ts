// A clock for tests that do not wait: when nothing else is left to do, the timer that is due next fires at once. So a
// test takes no time, and runs in the same way on any machine, however busy.

import { syncBuiltinESMExports } from 'node:module';
import type { TimerOptions } from 'node:timers';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';

/** Replaces the clock in every test of a file. Call this at the top of the file. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setTimerTickMode('nextTimerAsync');
    // Vitest replaces only the global timers.
    vi.spyOn(timers, 'setTimeout').mockImplementation(sleep);
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.mocked(timers.setTimeout).mockRestore();
    syncBuiltinESMExports();
    vi.useRealTimers();
  });
}

/** Lets time pass on the fake clock. */
export async function elapse(ms: number): Promise<void> {
  await sleep(ms);
}

function sleep(ms?: number, value?: unknown, { signal }: TimerOptions = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms, value);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
