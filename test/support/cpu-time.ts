// Measures the CPU time that work takes, so that the figure depends little on how busy the machine is.
import { setImmediate } from 'node:timers/promises';

/** The CPU time of yardstick() on an idle machine of the kind for which the tests state their limits. */
const idleYardstickMs = 8;
const maxMeasurements = 5;

/** Typical work with numbers, strings and memory. Its time shows how slow the machine is at the moment. */
function yardstick(): void {
  const words = Array.from({ length: 12_000 }, (_, i) => `word ${(i * 7919) % 12_007}`);
  words.sort();
}

/** The CPU time of this process in ms. */
function now(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The CPU time in ms that the work takes, measured once. */
export function msOf(work: () => unknown): number {
  const startedAt = now();
  work();
  return now() - startedAt;
}

/**
 * Measures up to five times, until a measurement is below the limit. Returns the minimum. On a busy machine, CPU times
 * can grow severalfold: programs share caches and cores, and a virtual machine might count time that its host took
 * away. Therefore each measurement but the first is divided by how many times longer yardstick() takes than on an idle
 * machine.
 */
export async function shortestMs(limit: number, measure: () => number | Promise<number>): Promise<number> {
  let least = await measure();
  for (let i = 1; i < maxMeasurements && least >= limit; i++) {
    const before = msOf(yardstick);
    const ms = await measure();
    const slowdown = Math.min(before, msOf(yardstick)) / idleYardstickMs;
    least = Math.min(least, ms / Math.max(1, slowdown));
  }
  return least;
}

/**
 * The CPU time in ms that the work takes. If that is not below the limit, the work is measured again, as shortestMs()
 * says.
 */
export function cpuMs(work: () => unknown, limit: number): Promise<number> {
  return shortestMs(limit, () => msOf(work));
}

/**
 * The longest CPU time in ms during which asynchronous work lets nothing else run. Repeats the work as cpuMs() does.
 */
export function longestTurnMs(work: () => Promise<unknown>, limit: number): Promise<number> {
  return shortestMs(limit, async () => {
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
