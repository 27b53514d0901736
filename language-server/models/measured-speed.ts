// Measures how fast this machine runs the loaded model. Other programs can only make the machine seem slower, so the
// best of all measurements counts. A file keeps it.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../native/index.ts';
import type { MachineSpeed, ModelCost } from './estimate.ts';

export interface MeasuredSpeed extends MachineSpeed {
  /** Whether other programs were computing during all measurements. The machine is then probably faster. */
  isBusy: boolean;
}

const promptTokens = 32;
const decodedTokens = 16;
const rounds = 5;
/** No further round begins after this time: a round of a large model takes seconds. */
const enoughMs = 1500;
/** How long to watch other programs before a measurement. */
const watchMs = 200;
/** If other programs use a larger share of the processor, the machine counts as busy. */
const quietShare = 0.4;

/** The best of new measurements and of those kept in the folder; null if the model generates nothing. */
export async function bestSpeed(
  engine: Engine,
  cost: ModelCost,
  folder: string,
  share = shareInUse,
): Promise<MeasuredSpeed | null> {
  const isBusy = (await share()) > quietShare;
  let best: MachineSpeed | null = null;
  const startedAt = performance.now();
  for (let round = 0; round < rounds && performance.now() - startedAt < enoughMs; round++)
    best = faster(best, await measureSpeed(engine, cost));
  return keep(best && { ...best, isBusy }, engine, folder);
}

async function keep(now: MeasuredSpeed | null, { info }: Engine, folder: string): Promise<MeasuredSpeed | null> {
  if (!isAbsolute(folder)) return now;
  const file = join(folder, 'speeds.json');
  const all = await readKept(file);
  const key = [cpus()[0]?.model.trim(), info.backend, info.name, info.quantization].join(', ');
  const kept = all.get(key) ?? null;
  const fastest = faster(kept, now);
  const best = fastest && { ...fastest, isBusy: [kept, now].every((measured) => measured === null || measured.isBusy) };
  if (best === null) return null;
  const text = JSON.stringify(Object.fromEntries(all.set(key, best)), null, 2);
  await writeFile(file, text, { mode: 0o600 }).catch(() => undefined); // without the file, the next call starts anew
  return best;
}

async function readKept(file: string): Promise<Map<string, MeasuredSpeed>> {
  try {
    const all: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
    return new Map(Object.entries(all).flatMap(([key, value]) => (isSpeed(value) ? [[key, value]] : [])));
  } catch {
    return new Map();
  }
}

function isSpeed(value: unknown): value is MeasuredSpeed {
  const { readBytesPerSecond, weightsPerSecond, isBusy } = (value ?? {}) as Partial<MeasuredSpeed>;
  return [readBytesPerSecond, weightsPerSecond].every((rate) => Number(rate) > 0) && typeof isBusy === 'boolean';
}

function faster(a: MachineSpeed | null, b: MachineSpeed | null): MachineSpeed | null {
  if (a === null || b === null) return a ?? b;
  return {
    readBytesPerSecond: Math.max(a.readBytesPerSecond, b.readBytesPerSecond),
    weightsPerSecond: Math.max(a.weightsPerSecond, b.weightsPerSecond),
  };
}

/** Measures the loaded model in the background with a short prompt and answer. Null if the answer is empty. */
export async function measureSpeed(engine: Engine, cost: ModelCost): Promise<MachineSpeed | null> {
  const { timings } = await engine.generate({
    tokens: randomTokens(engine, promptTokens),
    maxTokens: decodedTokens,
    priority: 'background',
    speculate: false,
  });
  if (timings.decodePasses === 0) return null;
  const read = timings.promptTokens - timings.cachedTokens;
  return {
    readBytesPerSecond: (timings.decodePasses * cost.readBytesPerToken * 1000) / timings.decodeMs,
    weightsPerSecond: (read * cost.weightsPerToken * 1000) / timings.prefillMs,
  };
}

/**
 * Ordinary tokens, different at each call, so that none are cached. Some vocabularies end with special tokens, others
 * begin with them, so the widest range of ids without a special token is used.
 */
export function randomTokens({ info: { vocabulary, special } }: Engine, n: number): Uint32Array {
  const ends = [-1, ...Object.values(special), vocabulary].toSorted((a, b) => a - b);
  const ranges = ends.slice(1).map((end, i) => ({ first: (ends[i] ?? 0) + 1, end }));
  const { first, end } = ranges.reduce((a, b) => (b.end - b.first > a.end - a.first ? b : a));
  return Uint32Array.from({ length: n }, () => first + Math.floor(Math.random() * (end - first)));
}

/** The share of the processor's time that all programs together use now. */
async function shareInUse(): Promise<number> {
  const times = () =>
    cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({ idle, all: user + nice + sys + idle + irq }));
  const sum = (key: 'idle' | 'all', cores: ReturnType<typeof times>) =>
    cores.reduce((total, core) => total + core[key], 0);
  const before = times();
  await sleep(watchMs, undefined, { ref: false });
  const after = times();
  const all = sum('all', after) - sum('all', before);
  return all > 0 ? 1 - (sum('idle', after) - sum('idle', before)) / all : 0;
}
