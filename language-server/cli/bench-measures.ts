// What `hearth bench` measures: each figure as its samples, with the time that every op took in them.
import type { Engine, OpTime } from '../../native/index.ts';

export interface Measure {
  /** Tokens/s, or ms for the forward pass of a batch. */
  samples: number[];
  /** Added up over the samples. */
  ops: OpTime[];
}

/** Tokens/s of the last n tokens of prompts whose beginning, the context, is in the cache. */
export async function measurePrefill(engine: Engine, n: number, context: Uint32Array, runs: number): Promise<Measure> {
  return measure(engine, runs, async () => {
    const tokens = Uint32Array.from([...context, ...randomTokens(engine, n)]);
    const { promptTokens, cachedTokens, prefillMs } = await engine.prefill(tokens);
    return ((promptTokens - cachedTokens) * 1000) / prefillMs;
  });
}

/** Tokens/s of n steps of one token behind a context that is in the cache. */
export async function measureDecode(engine: Engine, n: number, context: Uint32Array, runs: number): Promise<Measure> {
  return measure(engine, runs, async () => {
    let steps = 0;
    let ms = 0;
    // An answer may end by itself, so that several make up the number. Its first token belongs to the prompt.
    while (steps < n) {
      const tokens = Uint32Array.from([...context, ...randomTokens(engine, 1)]);
      const { timings } = await engine.generate({ tokens, maxTokens: n - steps + 1, speculate: false });
      steps += timings.completionTokens - 1;
      ms += timings.decodeMs;
    }
    return (steps * 1000) / ms;
  });
}

/** Ms of one forward pass over the last n tokens of a warm context, without the head; sizes take turns. */
export async function measureBatches(
  engine: Engine,
  sizes: number[],
  depth: number,
  runs: number,
): Promise<Map<number, Measure>> {
  await engine.clearCache();
  const context = randomTokens(engine, depth);
  await engine.prefill(context);
  const results = new Map<number, Measure>(sizes.map((n) => [n, { samples: [], ops: [] }]));
  for (let run = 0; run < runs; run++) {
    for (const [n, result] of results) {
      const tokens = Uint32Array.from([...context, ...randomTokens(engine, n)]);
      const { samples, ops } = await measure(engine, 1, async () => (await engine.prefill(tokens)).prefillMs);
      result.samples.push(...samples);
      result.ops = addOps(result.ops, ops);
    }
  }
  return results;
}

async function measure(engine: Engine, runs: number, run: () => Promise<number>): Promise<Measure> {
  const before = engine.status().ops;
  const samples: number[] = [];
  for (let i = 0; i < runs; i++) samples.push(await run());
  return { samples, ops: addOps(before, engine.status().ops, -1) };
}

/** b + sign * a, op by op. */
function addOps(a: OpTime[], b: OpTime[], sign = 1): OpTime[] {
  return b.map(({ op, ms, calls, bytes }) => {
    const other = a.find((time) => time.op === op) ?? { ms: 0, calls: 0, bytes: 0 };
    return { op, ms: ms + sign * other.ms, calls: calls + sign * other.calls, bytes: bytes + sign * other.bytes };
  });
}

/** Ordinary tokens only; the special ones stand at the vocabulary's end. Others at each call, so nothing is cached. */
export function randomTokens(engine: Engine, n: number): Uint32Array {
  const specials = Object.values(engine.info.special).filter((id) => id >= 0);
  const ordinary = Math.min(engine.info.vocabulary, ...specials);
  return Uint32Array.from({ length: n }, () => Math.floor(Math.random() * ordinary));
}

export function median(samples: number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
