// Measures, from /proc/stat, the share of CPU time that other programs use. The benchmark waits until the share is low,
// and finds out if it was high during a run. Time stolen by a virtual machine's host counts as other programs' time;
// the time of the benchmark and its finished children does not.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Ticks {
  busy: number;
  all: number;
  own: number;
}

/**
 * Returns a function for the fraction (0 to 1) that others have used since this call; it returns undefined without
 * /proc.
 */
export function watchOthers(): () => number | undefined {
  if (!existsSync('/proc/stat')) return () => undefined;
  const from = ticks();
  return () => {
    const to = ticks();
    const others = to.busy - from.busy - (to.own - from.own);
    return Math.max(0, others / Math.max(1, to.all - from.all));
  };
}

/** Waits until others use less than `share`, at most about `seconds`. Resolves to the seconds that it waited. */
export async function waitForQuiet(share: number, seconds: number): Promise<number> {
  const start = performance.now();
  const waited = () => (performance.now() - start) / 1000;
  while (waited() < seconds) {
    const others = watchOthers();
    await sleep(1500);
    if ((others() ?? 0) < share) break;
  }
  return waited();
}

function ticks(): Ticks {
  const cpu = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '';
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = cpu
    .split(/ +/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  // After the name in parentheses: fields 14 to 17 are utime and stime, of the process and of its finished children.
  const self = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const own = self.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { busy, all: busy + idle + iowait, own };
}
