// Measures, in a fraction of a second, how fast this machine is: its memory bandwidth, with several threads, and the
// prefill speed of the loaded engine.
import { once } from 'node:events';
import { freemem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Engine } from '../../native/index.ts';
import type { MachineSpeed, ModelCost } from './estimate.ts';

/**
 * The buffers of all threads together: larger than the caches of ordinary processors and small beside the free memory.
 */
const readBytes = () => Math.min(256 * 2 ** 20, freemem() / 8);
const readRounds = 10;
const promptTokens = 32;
const decodedTokens = 16;
/** The share of the memory bandwidth that decoding reaches: 81 to 92 % on the machines in README.md. */
const decodeShare = 0.85;

// Searching for a byte that does not occur reads at the speed of the memory, as Node uses the C library's memchr.
const reader = `
const { parentPort, workerData } = require('node:worker_threads');
const memory = Buffer.alloc(workerData, 1);
parentPort.on('message', () => {
  memory.indexOf(2);
  parentPort.postMessage(0);
});
parentPort.postMessage(0);
`;

/** The best of a few rounds, since other programs can only slow a round down. */
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

/** Rejects if the thread fails. */
const answer = (worker: Worker): Promise<unknown> => once(worker, 'message');

/** On a GPU, the speed follows from the loaded model's decoding, not from the processor's memory. */
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

/** Different at each call, so that none are cached. Special tokens, at the end of the vocabulary, are avoided. */
function randomTokens(engine: Engine): Uint32Array {
  const { vocabulary, special } = engine.info;
  const ordinary = Math.min(vocabulary, ...Object.values(special).filter((id) => id >= 0));
  return Uint32Array.from({ length: promptTokens }, () => Math.floor(Math.random() * ordinary));
}
