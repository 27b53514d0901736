// The machine's limits, measured by machine_peak.cc, which is built if it has changed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../tools/statistics.ts';

export interface Limits {
  readGbPerSecond: number;
  /** 10^9 operations per second by CPU variant; a multiply-add counts as two. */
  int8Gops: Record<string, number>;
}

/** The median of each limit over several measurements, since the speed of a shared machine changes every minute. */
export function medianLimits(all: Limits[]): Limits | undefined {
  const [first] = all;
  if (!first) return undefined;
  const variants = Object.keys(first.int8Gops);
  return {
    readGbPerSecond: median(all.map(({ readGbPerSecond }) => readGbPerSecond)),
    int8Gops: Object.fromEntries(
      variants.map((variant) => [variant, median(all.map(({ int8Gops }) => int8Gops[variant] ?? Number.NaN))]),
    ),
  };
}

/** If there is no compiler, prints why and returns undefined. */
export function measureLimits(root: string, threads: number): Limits | undefined {
  const source = join(root, 'lab', 'bench', 'machine_peak.cc');
  const program = join(root, 'build', 'machine_peak');
  try {
    if (!existsSync(program) || statSync(program).mtimeMs < statSync(source).mtimeMs) {
      mkdirSync(join(root, 'build'), { recursive: true });
      const flags = ['-O3', '-march=native', '-std=c++20', '-pthread'];
      execFileSync('g++', [...flags, source, '-o', program], { stdio: ['ignore', 'inherit', 'inherit'] });
    }
    return JSON.parse(execFileSync(program, [String(threads)], { encoding: 'utf8' })) as Limits;
  } catch (error) {
    console.log(`the machine's limits are not known: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
