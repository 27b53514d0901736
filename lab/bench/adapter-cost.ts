// npm run tool -- adapter-cost: how much slower an adapter makes decoding and prompts. In each round, the same engine
// runs with the adapter and without it, so that other work on the machine slows both. The result is the median of the
// rounds' ratios.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Command,
  count,
  engineOptions,
  print,
  printJson,
  text,
  UsageError,
  type Values,
  withEngine,
} from '../../language-server/cli/command.ts';
import { backendLine } from '../../language-server/engine/engine-host.ts';
import { randomTokens } from '../../language-server/models/measured-speed.ts';
import type { Engine } from '../../native/index.ts';
import { writeGguf } from '../../test/support/gguf-writer.ts';
import { formatted, syntheticAdapter } from '../../test/support/synthetic-adapter.ts';
import { shapes, syntheticModel, writeSyntheticModel } from '../../test/support/synthetic-model.ts';
import { measureDecode, measurePrefill } from '../tools/bench-measures.ts';
import { median, percent } from '../tools/statistics.ts';

const formats = ['f16', 'q8_0', 'q4_0'] as const;

export const adapterCostCommand: Command = {
  summary: 'how much slower an adapter makes decoding and prompts',
  operands: '',
  options: {
    ...engineOptions,
    adapter: { type: 'string', value: 'FILE', help: 'LoRA adapter for --model; without both, random weights' },
    shape: {
      type: 'string',
      value: 'NAME',
      help: `the random model's shape: ${Object.keys(shapes).join(', ')}; default: 0.5b`,
    },
    rank: { type: 'string', value: 'N', help: "the random adapter's rank; default: 32" },
    format: {
      type: 'string',
      value: 'NAME',
      help: `the random adapter's format: ${formats.join(', ')}; default: q8_0`,
    },
    prompt: { type: 'string', value: 'N', help: 'tokens of a prompt; default: 256' },
    generate: { type: 'string', value: 'N', help: 'tokens to decode; default: 48' },
    repeat: { type: 'string', value: 'N', help: 'number of rounds; default: 9' },
  },
  async run(values) {
    if ((values.model === undefined) !== (values.adapter === undefined))
      throw new UsageError('--model and --adapter go together');
    const folder = mkdtempSync(join(tmpdir(), 'hearth-adapter-cost-'));
    try {
      const files = values.model === undefined ? makeFiles(folder, values) : {};
      await withEngine({ ...values, ...files }, async (engine) => {
        const costs = await measureCosts(engine, values);
        if (values.json) return printJson({ ...costs, backend: engine.info.backend, model: engine.info.name });
        print(`${engine.info.name} on ${backendLine(engine.info)}`);
        for (const [what, cost] of Object.entries(costs)) print(costLine(what, cost));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Writes a model and an adapter with random weights, which are as fast as learned ones. */
function makeFiles(folder: string, values: Values): { model: string; adapter: string } {
  const shape = Object.entries(shapes).find(([name]) => name === (text(values, 'shape') ?? '0.5b'))?.[1];
  if (!shape) throw new UsageError(`--shape must be one of ${Object.keys(shapes).join(', ')}`);
  const format = formats.find((name) => name === (text(values, 'format') ?? 'q8_0'));
  if (!format) throw new UsageError(`--format must be one of ${formats.join(', ')}`);
  const options = { shape, quantization: 'q4_k_m' } as const;
  const files = { model: join(folder, 'model.gguf'), adapter: join(folder, 'adapter.gguf') };
  writeSyntheticModel(files.model, options);
  const adapter = syntheticAdapter(syntheticModel(options), { rank: count(values, 'rank') ?? 32 });
  writeGguf(files.adapter, formatted(adapter, format));
  return files;
}

export interface Cost {
  /** Tokens/s without the adapter and with it. */
  without: number;
  with: number;
  /** The fraction by which a token takes longer with the adapter. */
  slower: number;
  /** The fraction by which a token takes more CPU time with the adapter. Other programs disturb this figure less. */
  work: number;
}

/** One measurement: tokens/s, and microseconds of CPU time. */
export interface Speed {
  rate: number;
  micros: number;
}

async function measureCosts(engine: Engine, values: Values): Promise<{ decode: Cost; prompt: Cost }> {
  const [adapter] = engine.info.adapters;
  const [n, answer, rounds] = [
    count(values, 'prompt') ?? 256,
    count(values, 'generate') ?? 48,
    count(values, 'repeat'),
  ];
  const context = randomTokens(engine, 32);
  for (const each of [undefined, adapter]) await engine.prefill(context, 'foreground', undefined, each);
  const decode: [Speed, Speed][] = [];
  const prompt: [Speed, Speed][] = [];
  for (let round = 0; round < (rounds ?? 9); round++) {
    const speeds = async (measure: (adapter?: string) => Promise<{ samples: number[] }>): Promise<[Speed, Speed]> => {
      const speedWith = async (path?: string) => {
        const start = process.cpuUsage();
        const { samples } = await measure(path);
        const { user, system } = process.cpuUsage(start);
        return { rate: samples[0] ?? Number.NaN, micros: user + system };
      };
      if (round % 2 === 0) return [await speedWith(), await speedWith(adapter)];
      const adapted = await speedWith(adapter);
      return [await speedWith(), adapted];
    };
    decode.push(await speeds((each) => measureDecode(engine, answer, context, 1, each)));
    prompt.push(await speeds((each) => measurePrefill(engine, n, context, 1, each)));
  }
  return { decode: costOf(decode), prompt: costOf(prompt) };
}

/** pairs: for each round, the speeds without and with the adapter. */
export const costOf = (pairs: [Speed, Speed][]): Cost => ({
  without: median(pairs.map(([plain]) => plain.rate)),
  with: median(pairs.map(([, adapted]) => adapted.rate)),
  slower: median(pairs.map(([plain, adapted]) => plain.rate / adapted.rate - 1)),
  work: median(pairs.map(([plain, adapted]) => adapted.micros / plain.micros - 1)),
});

const costLine = (what: string, cost: Cost): string =>
  `${what.padEnd(8)}${cost.without.toFixed(1).padStart(8)} tokens/s, with the adapter ${cost.with.toFixed(1)}: ` +
  `${percent(cost.slower)} longer for a token, ${percent(cost.work)} more of the processors' time`;
