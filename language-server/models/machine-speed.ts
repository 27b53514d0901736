// How fast this machine is, in a fraction of a second: what a processor reads from memory, measured in threads, and what
// the loaded engine makes of a prompt.
import { once } from 'node:events';
import { freemem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Engine } from '../../native/index.ts';
import type { MachineSpeed, ModelCost } from './estimate.ts';

/** Of all threads together: larger than the caches of ordinary processors, and a small share of the free memory. */
const readBytes = () => Math.min(256 * 2 ** 20, freemem() / 8);
const readRounds = 10;
const promptTokens = 32;
const decodedTokens = 16;
/** What decoding reaches of a plain read: 81 to 92 % on the machines of README.md. */
const decodeShare = 0.85;

// Searching for a byte that is not there reads at the speed of the memory: Node leaves it to the C library's memchr.
const reader = `
const { parentPort, workerData } = require('node:worker_threads');
const memory = Buffer.alloc(workerData, 1);
parentPort.on('message', () => {
  memory.indexOf(2);
  parentPort.postMessage(0);
});
parentPort.postMessage(0);
`;

/** The best of a few rounds: what else runs on the machine can only slow a round down. */
export async function measureReading(threads: number): Promise<number> {
  const bytes = Math.floor(readBytes() / threads);
  const workers = Array.from({ length: threads }, () => new Worker(reader, { eval: true, workerData: bytes }));
  try {
    await Promise.all(workers.map(answer));
    let bestMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < readRounds; round++) {
      const startedAt = performance.now();
      for (const worker of workers) worker.postMessage(0);
      await Promise.all(workers.map(answer));
      bestMs = Math.min(bestMs, performance.now() - startedAt);
    }
    return (threads * bytes * 1000) / bestMs;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Rejects when the thread fails. */
const answer = (worker: Worker): Promise<unknown> => once(worker, 'message');

/** On a GPU the processor's memory says nothing: there the loaded model's own decoding does. */
export async function measureSpeed(
  loaded: { engine: Engine; cost: ModelCost } | null,
  threads: number,
): Promise<MachineSpeed> {
  const readByDecoding = async () => decodeShare * (await measureReading(threads));
  if (!loaded) return { readBytesPerSecond: await readByDecoding(), weightsPerSecond: null };
  const { engine, cost } = loaded;
  const { promptTokens: all, cachedTokens, prefillMs } = await engine.prefill(randomTokens(engine), 'background');
  const weightsPerSecond = ((all - cachedTokens) * cost.weightsPerToken * 1000) / prefillMs;
  const readBytesPerSecond =
    engine.info.device === 'cpu' ? await readByDecoding() : await measureDecoding(engine, cost);
  return { readBytesPerSecond, weightsPerSecond };
}

async function measureDecoding(engine: Engine, cost: ModelCost): Promise<number> {
  const request = { tokens: randomTokens(engine), maxTokens: decodedTokens, priority: 'background' as const };
  const { timings } = await engine.generate({ ...request, speculate: false });
  return (timings.decodePasses * cost.readBytesPerToken * 1000) / timings.decodeMs;
}

/** Others each time, so that the cache supplies none; the special ones stand at the vocabulary's end. */
function randomTokens(engine: Engine): Uint32Array {
  const { vocabulary, special } = engine.info;
  const ordinary = Math.min(vocabulary, ...Object.values(special).filter((id) => id >= 0));
  return Uint32Array.from({ length: promptTokens }, () => Math.floor(Math.random() * ordinary));
}
