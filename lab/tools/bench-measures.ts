// The measurements of `tool bench`: samples for each figure, and the time that each op took.
import { randomTokens } from '../../language-server/models/measured-speed.ts';
import type { Engine, OpTime } from '../../native/index.ts';

export interface Measure {
  /** Tokens/s; for batches, ms for a forward pass. */
  samples: number[];
  /** The time of each op, summed over the samples. */
  ops: OpTime[];
}

/** Prefill speed, in tokens/s, for n tokens after a cached context. adapter: the path of a LoRA adapter. */
export async function measurePrefill(
  engine: Engine,
  n: number,
  context: Uint32Array,
  runs: number,
  adapter?: string,
): Promise<Measure> {
  return measure(engine, runs, async () => {
    const tokens = Uint32Array.from([...context, ...randomTokens(engine, n)]);
    const { promptTokens, cachedTokens, prefillMs } = await engine.prefill(tokens, 'foreground', undefined, adapter);
    return ((promptTokens - cachedTokens) * 1000) / prefillMs;
  });
}

/** Decode speed, in tokens/s, for n tokens after a cached context. adapter: the path of a LoRA adapter. */
export async function measureDecode(
  engine: Engine,
  n: number,
  context: Uint32Array,
  runs: number,
  adapter?: string,
): Promise<Measure> {
  return measure(engine, runs, async () => {
    let steps = 0;
    let ms = 0;
    // An answer may end early, and then another one begins. The first token of an answer counts as part of the prompt.
    while (steps < n) {
      const tokens = Uint32Array.from([...context, ...randomTokens(engine, 1)]);
      const request = { tokens, maxTokens: n - steps + 1, speculate: false };
      const { timings } = await engine.generate({ ...request, ...(adapter !== undefined && { adapter }) });
      steps += timings.completionTokens - 1;
      ms += timings.decodeMs;
    }
    return (steps * 1000) / ms;
  });
}

/**
 * For each size n, the time in ms of a forward pass over n tokens, without the head, after `depth` tokens of cached
 * context. The sizes take turns.
 */
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

/** The figures of b plus `sign` times those of a, for each op. */
function addOps(a: OpTime[], b: OpTime[], sign = 1): OpTime[] {
  return b.map(({ op, ms, calls, bytes }) => {
    const other = a.find((time) => time.op === op) ?? { ms: 0, calls: 0, bytes: 0 };
    return { op, ms: ms + sign * other.ms, calls: calls + sign * other.calls, bytes: bytes + sign * other.bytes };
  });
}
