// The command line of the bench; run.mjs explains it.
import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.ts';

const groups = ['prefill', 'decode', 'curve', 'load', 'memory'] as const;
export type Group = (typeof groups)[number];

export interface Options {
  models: string[];
  engines: string[];
  only: readonly Group[];
  threads: number;
  /** Tokens of context to decode behind. */
  depths: number[];
  variant: string;
  llamaKernels: string;
  rounds: number;
  patience: number;
}

export function parse(args: string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ models: text, engines: text, only: text, threads: text, depths: text },
      ...{ variant: text, repeat: text, patience: text },
      ...{ 'llama-kernels': text, quick: { type: 'boolean', default: false } },
    },
  });
  const list = (value: string) => value.split(',').filter(Boolean);
  const number = (value: string, name: string) => {
    if (!/^\d+$/.test(value)) throw new BenchError(`--${name} wants a number, not "${value}"`);
    return Number(value);
  };
  return {
    models: list(values.models ?? (values.quick ? '0.5b-q8_0' : '0.5b-q8_0,0.5b-q4_k_m,1.5b-q4_k_m')),
    engines: known(list(values.engines ?? 'hearth,llama.cpp'), ['hearth', 'llama.cpp'], 'engines'),
    only: known(list(values.only ?? groups.join(',')), groups, 'only'),
    threads: number(values.threads ?? '2', 'threads'),
    depths: list(values.depths ?? '0,512,2048').map((depth) => number(depth, 'depths')),
    variant: values.variant ?? '',
    llamaKernels: values['llama-kernels'] ?? '',
    rounds: number(values.repeat ?? (values.quick ? '2' : '5'), 'repeat'),
    patience: number(values.patience ?? (values.quick ? '30' : '600'), 'patience'),
  };
}

function known<T extends string>(names: string[], all: readonly T[], flag: string): T[] {
  return names.map((name) => {
    const found = all.find((other) => other === name);
    if (!found) throw new BenchError(`--${flag} knows ${all.join(', ')}; not "${name}"`);
    return found;
  });
}
