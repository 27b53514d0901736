// The CPU time that work takes, however busy the machine is.
import { setImmediate } from 'node:timers/promises';

/** What the yardstick takes on an idle machine of the kind for which the tests state their limits. */
const idleYardstickMs = 8;
const maxLooks = 5;

/** Work of the usual kind, to see how slow the machine is at the moment: numbers, strings, memory. */
function yardstick(): void {
  const words = Array.from({ length: 12_000 }, (_, i) => `word ${(i * 7919) % 12_007}`);
  words.sort();
}

/** The CPU time of this process in ms. */
function now(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The CPU time in ms that work takes now. */
export function msOf(work: () => unknown): number {
  const startedAt = now();
  work();
  return now() - startedAt;
}

/**
 * The least of up to five measurements; one below the limit is enough. On a busy machine all CPU times grow, several
 * times even: caches and cores are shared, and the host of a virtual one may count the time that it takes away.
 * Therefore each measurement but the first is divided by how much longer a yardstick takes than on an idle machine.
 */
export async function leastMs(limit: number, measure: () => number | Promise<number>): Promise<number> {
  let least = await measure();
  for (let look = 1; look < maxLooks && least >= limit; look++) {
    const before = msOf(yardstick);
    const ms = await measure();
    const slowdown = Math.min(before, msOf(yardstick)) / idleYardstickMs;
    least = Math.min(least, ms / Math.max(1, slowdown));
  }
  return least;
}

/** The CPU time in ms that work takes, which is repeated if it seems to need the limit or more. */
export function cpuMs(work: () => unknown, limit: number): Promise<number> {
  return leastMs(limit, () => msOf(work));
}

/** The most CPU time in ms for which asynchronous work lets nothing else run. It is repeated as in cpuMs(). */
export function longestTurnMs(work: () => Promise<unknown>, limit: number): Promise<number> {
  return leastMs(limit, async () => {
    let [longest, isDone, last] = [0, false, now()];
    const done = work().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      longest = Math.max(longest, now() - last);
      last = now();
    }
    await done;
    return longest;
  });
}
