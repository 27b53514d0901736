// npm run tool -- bench: measures the speed of prefill and decode, the time per batch, and each op's share of it.

import {
  type Command,
  count,
  counts,
  engineOptions,
  print,
  printJson,
  UsageError,
  type Values,
  withEngine,
} from '../../language-server/cli/command.ts';
import { backendLine } from '../../language-server/engine/engine-host.ts';
import { randomTokens } from '../../language-server/models/measured-speed.ts';
import type { Engine, ModelInfo } from '../../native/index.ts';
import { type Measure, measureBatches, measureDecode, measurePrefill } from './bench-measures.ts';
import { median } from './statistics.ts';

/** The context before the batches, in tokens. */
const batchDepth = 512;
/** The engine's largest batch: kMaxBatch in kernels/ops.h. */
const maxBatch = 256;
/** Batches run more often than prefill and decode, since one takes only milliseconds and is compared with others. */
const batchRunsPerRun = 5;

export const benchCommand: Command = {
  summary: 'measure prefill and decode on random tokens',
  operands: '',
  options: {
    ...engineOptions,
    prompt: { type: 'string', short: 'p', multiple: true, value: 'N', help: 'prompt lengths; 0: none; default: 512' },
    generate: {
      type: 'string',
      short: 'n',
      multiple: true,
      value: 'N',
      help: 'numbers of tokens to decode; 0: none; default: 64',
    },
    depth: {
      type: 'string',
      short: 'd',
      multiple: true,
      value: 'N',
      help: 'tokens of context before -p and -n; default: 0',
    },
    batch: { type: 'string', short: 'b', multiple: true, value: 'N', help: 'forward passes to time, by their tokens' },
    repeat: { type: 'string', short: 'r', value: 'N', help: 'number of runs; their median counts; default: 3' },
  },
  async run(values) {
    const plan = planOf(values);
    await withEngine(values, async (engine) => {
      await engine.prefill(randomTokens(engine, 32));
      const figures = await measureAll(engine, plan);
      const { backend, device, loadMs, name } = engine.info;
      const peakRssMb = process.resourceUsage().maxRSS / 1024;
      const result = { ...medians(figures), loadMs, peakRssMb, ...parseBackend(backend), model: name };
      if (values.json) return printJson({ ...result, measures: Object.fromEntries(figures) });
      print(
        `${name} on ${backendLine(engine.info)}; loaded in ${loadMs.toFixed(0)} ms, at most ${peakRssMb.toFixed(0)} MB in memory`,
      );
      for (const [what, measure] of figures) print(figureLine(what, measure, device));
    });
  },
};

interface Plan {
  depths: number[];
  prefill: number[];
  decode: number[];
  batches: number[];
  runs: number;
}

function planOf(values: Values): Plan {
  const wanted = (name: string, fallback: number[]) => counts(values, name, fallback).filter((n) => n > 0);
  const batches = wanted('batch', []);
  const tooLarge = batches.find((n) => n > maxBatch);
  if (tooLarge !== undefined)
    throw new UsageError(`--batch must be at most ${maxBatch}, the limit of one pass, not ${tooLarge}`);
  return {
    depths: counts(values, 'depth', [0]),
    prefill: wanted('prompt', [512]),
    decode: wanted('generate', [64]),
    batches,
    runs: count(values, 'repeat') ?? 3,
  };
}

/** Keys: "prefill 512", "decode 64", "decode 64 at 2048" (after that many tokens of context), "batch 4". */
async function measureAll(engine: Engine, plan: Plan): Promise<Map<string, Measure>> {
  const { runs } = plan;
  const figures = new Map<string, Measure>();
  for (const depth of plan.depths) {
    await engine.clearCache();
    const context = randomTokens(engine, depth);
    if (depth > 0) await engine.prefill(context);
    const at = depth > 0 ? ` at ${depth}` : '';
    for (const n of plan.prefill) figures.set(`prefill ${n}${at}`, await measurePrefill(engine, n, context, runs));
    for (const n of plan.decode) figures.set(`decode ${n}${at}`, await measureDecode(engine, n, context, runs));
  }
  if (plan.batches.length > 0) {
    const batches = await measureBatches(engine, plan.batches, batchDepth, runs * batchRunsPerRun);
    for (const [n, measure] of batches) figures.set(`batch ${n}`, measure);
  }
  return figures;
}

/** { prefill: { "512": tokens/s, "512 at 2048": ... }, decode: { "64": tokens/s }, batch: { "4": ms } } */
function medians(figures: Map<string, Measure>): Record<string, Record<string, number>> {
  const result: Record<string, Record<string, number>> = { prefill: {}, decode: {}, batch: {} };
  for (const [what, { samples }] of figures) {
    const space = what.indexOf(' ');
    const group = result[what.slice(0, space)];
    if (group) group[what.slice(space + 1)] = median(samples);
  }
  return result;
}

/**
 * "prefill 512 810.0 tokens/s ffn_gate_up 43 %, ffn_down 22 %, ..."; without the percentages on a GPU, where only the
 * time to submit an op is known.
 */
export function figureLine(what: string, { samples, ops }: Measure, device: ModelInfo['device']): string {
  const unit = what.startsWith('batch') ? 'ms      ' : 'tokens/s';
  const figure = `${what.padEnd(18)}${median(samples).toFixed(1).padStart(8)} ${unit}`;
  if (device !== 'cpu') return figure;
  const all = ops.reduce((sum, { ms }) => sum + ms, 0);
  const busiest = ops.filter(({ ms }) => ms >= all / 100).sort((a, b) => b.ms - a.ms);
  const profile = busiest.map(({ op, ms }) => `${op} ${((100 * ms) / all).toFixed(0)} %`).join(', ');
  return `${figure}  ${profile}`;
}

/** "cpu avx512vnni, 2 threads" */
function parseBackend(backend: string): { variant: string; threads: number } {
  const [, variant, threads] = /^(.*), (\d+) threads?$/.exec(backend) ?? [];
  return { variant: variant?.replace(/^cpu /, '') ?? backend, threads: Number(threads ?? 0) };
}
