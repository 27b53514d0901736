// hearth bench: tokens per second of prefill and decode.
import type { Engine } from '../../native/index.ts';
import { type Command, count, counts, engineOptions, print, printJson, withEngine } from './command.ts';

export const benchCommand: Command = {
  summary: 'measure prefill and decode on random tokens',
  operands: '',
  options: {
    ...engineOptions,
    prompt: { type: 'string', short: 'p', multiple: true, value: 'N', help: 'prompt lengths to prefill; 512' },
    generate: { type: 'string', short: 'n', multiple: true, value: 'N', help: 'numbers of tokens to decode; 64' },
    repeat: { type: 'string', short: 'r', value: 'N', help: 'runs, of which the median counts; 3' },
  },
  run: (values) =>
    withEngine(values, async (engine) => {
      const runs = count(values, 'repeat') ?? 3;
      const random = randomTokens(engine);
      const prefill: Record<string, number> = {};
      const decode: Record<string, number> = {};
      for (const n of counts(values, 'prompt', [512])) {
        prefill[n] = await medianOf(runs, () => prefillRate(engine, random(n)));
      }
      for (const n of counts(values, 'generate', [64])) {
        decode[n] = await medianOf(runs, () => decodeRate(engine, n, random));
      }
      const { backend, loadMs, name } = engine.info;
      const peakRssMb = process.resourceUsage().maxRSS / 1024;
      const result = { prefill, decode, loadMs, peakRssMb, ...parseBackend(backend), model: name };
      if (values.json) return printJson(result);
      print(`${name} on ${backend}; loaded in ${loadMs.toFixed(0)} ms, at most ${peakRssMb.toFixed(0)} MB in memory`);
      for (const [n, rate] of Object.entries(prefill)) print(`prefill ${n.padStart(6)}  ${rate.toFixed(1)} tokens/s`);
      for (const [n, rate] of Object.entries(decode)) print(`decode  ${n.padStart(6)}  ${rate.toFixed(1)} tokens/s`);
    }),
};

async function prefillRate(engine: Engine, tokens: Uint32Array): Promise<number> {
  await engine.clearCache();
  const { promptTokens, cachedTokens, prefillMs } = await engine.prefill(tokens);
  return ((promptTokens - cachedTokens) * 1000) / prefillMs;
}

/** An answer may end by itself, so that several make up the number of tokens. */
async function decodeRate(engine: Engine, wanted: number, random: (n: number) => Uint32Array): Promise<number> {
  let tokens = 0;
  let ms = 0;
  while (tokens < wanted) {
    const { timings } = await engine.generate({ tokens: random(8), maxTokens: wanted - tokens });
    tokens += timings.completionTokens;
    ms += timings.decodeMs;
  }
  return (tokens * 1000) / ms;
}

async function medianOf(runs: number, measure: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) rates.push(await measure());
  rates.sort((a, b) => a - b);
  const middle = rates.length >> 1;
  const upper = rates[middle] ?? 0;
  return rates.length % 2 === 1 ? upper : (upper + (rates[middle - 1] ?? 0)) / 2;
}

/** Ordinary tokens only; the special ones stand at the vocabulary's end. Other ones at each call, so nothing is cached. */
function randomTokens(engine: Engine): (n: number) => Uint32Array {
  const specials = Object.values(engine.info.special).filter((id) => id >= 0);
  const ordinary = Math.min(engine.info.vocabulary, ...specials);
  return (n) => Uint32Array.from({ length: n }, () => Math.floor(Math.random() * ordinary));
}

/** "cpu avx512vnni, 2 threads" */
function parseBackend(backend: string): { variant: string; threads: number } {
  const [, variant, threads] = /^(.*), (\d+) threads?$/.exec(backend) ?? [];
  return { variant: variant?.replace(/^cpu /, '') ?? backend, threads: Number(threads ?? 0) };
}
