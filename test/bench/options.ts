// The command line of the bench; run.mjs explains it.
import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.ts';

const groups = ['prefill', 'decode', 'curve', 'load', 'memory'] as const;
export type Group = (typeof groups)[number];

/** One of our builds of the kernels and one of llama.cpp's; empty: the best for this processor. */
export interface Contest {
  variant: string;
  llamaKernels: string;
}

/** What llama.cpp calls its build for the same instructions. */
const counterparts: Record<string, string> = {
  scalar: 'x64',
  avx2: 'haswell',
  avxvnni: 'alderlake',
  avx512vnni: 'zen4',
  amx: 'sapphirerapids',
};

export interface Options {
  models: string[];
  /** Another checkout of Hearth to measure, too. */
  before: string | undefined;
  /** ik_llama.cpp's llama-bench and arguments for it. */
  ikLlamaBench: string[];
  engines: string[];
  only: readonly Group[];
  threads: number;
  /** Tokens of context before what is measured. */
  depths: number[];
  /** Only what goals.ts asks for. */
  goals: boolean;
  contests: Contest[];
  rounds: number;
  patience: number;
}

export function parse(args: string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ models: text, engines: text, only: text, threads: text, depths: text },
      ...{ variant: text, repeat: text, patience: text, before: text },
      ...{ 'llama-kernels': text, 'ik-llama-bench': text, quick: flag, goals: flag },
    },
  });
  const list = (value: string) => value.split(',').filter(Boolean);
  const number = (value: string, name: string) => {
    if (!/^\d+$/.test(value)) throw new BenchError(`--${name} must be a number, not "${value}"`);
    return Number(value);
  };
  return {
    models: list(values.models ?? (values.quick ? '0.5b-q8_0' : '0.5b-q8_0,0.5b-q4_k_m,1.5b-q4_k_m')),
    before: values.before,
    ikLlamaBench: (values['ik-llama-bench'] ?? '').split(' ').filter(Boolean),
    engines: known(list(values.engines ?? 'hearth,llama.cpp'), ['hearth', 'llama.cpp'], 'engines'),
    only: known(list(values.only ?? groups.join(',')), groups, 'only'),
    threads: number(values.threads ?? '2', 'threads'),
    depths: list(values.depths ?? (values.goals ? '0' : '0,512,2048')).map((depth) => number(depth, 'depths')),
    goals: values.goals,
    contests: list(values.variant ?? 'best').map((variant) => contest(variant, values['llama-kernels'])),
    rounds: number(values.repeat ?? (values.quick ? '2' : '5'), 'repeat'),
    patience: number(values.patience ?? (values.quick ? '30' : values.goals ? '120' : '600'), 'patience'),
  };
}

function contest(variant: string, llamaKernels: string | undefined): Contest {
  const kernels = llamaKernels ?? counterparts[variant] ?? 'best';
  return { variant: variant === 'best' ? '' : variant, llamaKernels: kernels === 'best' ? '' : kernels };
}

function known<T extends string>(names: string[], all: readonly T[], flag: string): T[] {
  return names.map((name) => {
    const found = all.find((other) => other === name);
    if (!found) throw new BenchError(`--${flag} knows ${all.join(', ')}; not "${name}"`);
    return found;
  });
}
