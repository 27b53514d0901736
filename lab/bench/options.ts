// The bench's command line.
import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.ts';

export const usage = `\
npm run bench                                      everything; about 20 minutes with two threads
npm run bench -- --goals                           what goals.ts asks for, and whether it is reached; 10 minutes
npm run bench -- --goals --variant best,avx512vnni,avx2     the same with each of these kernels
npm run bench -- --quick                           one model, two rounds
npm run bench -- --models 1.5b-q4_k_m,FILE.gguf    other sizes (0.5b 1.5b 3b 7b 30ba3b) and types (q8_0 q4_0 q4_k_m), own files
npm run bench -- --models 30ba3b-6layers-q4_k_m    a large model with fewer layers
npm run bench -- --only prefill,decode             some of prefill, decode, curve (time by batch size), load, memory
npm run bench -- --depths 0                        tokens of context before each measurement
npm run bench -- --variant avx2 --threads 4        kernels, ours and those of llama.cpp that use the same
                                                   instructions; threads
npm run bench -- --llama-kernels zen4              another of llama.cpp's CPU builds: haswell is AVX2, zen4 is AVX-512
                                                   with VNNI, sapphirerapids has AMX too, best is its own choice
npm run bench -- --repeat 9 --patience 0           rounds; seconds to wait, in all, for a quiet machine
npm run bench -- --engines hearth                  without llama.cpp
npm run bench -- --before FOLDER                   compared with another checkout of Hearth, which has been set up
npm run bench -- --ik-llama-bench 'FILE ARGUMENTS' compared with ik_llama.cpp: the path of its llama-bench, built for
                                                   the same instructions

Models have true shapes and random weights, which are as fast as trained ones: nothing is downloaded for them.
llama.cpp comes through node-llama-cpp from npm, installed into .cache/bench when first needed.
Each engine runs in its own process, in turns; a figure is the median over the rounds. Rows are appended to
lab/bench/results/CPU-Nt.csv. No figure fails the bench.`;

const groups = ['prefill', 'decode', 'curve', 'load', 'memory'] as const;
export type Group = (typeof groups)[number];

/**
 * The builds of the kernels to compare, ours and llama.cpp's. An empty name means the best build for this processor.
 */
export interface Contest {
  variant: string;
  llamaKernels: string;
}

/** For each of our builds, llama.cpp's name for its build with the same instructions. */
const counterparts: Record<string, string> = {
  scalar: 'x64',
  avx2: 'haswell',
  avxvnni: 'alderlake',
  avx512vnni: 'zen4',
  amx: 'sapphirerapids',
};

export interface Options {
  models: string[];
  /** The folder of another checkout of Hearth that is measured, too. */
  before: string | undefined;
  /** The path of ik_llama.cpp's llama-bench, and arguments for it; empty if it is not measured. */
  ikLlamaBench: string[];
  engines: string[];
  only: readonly Group[];
  threads: number;
  /** Tokens of context before each measurement. */
  depths: number[];
  /** Measures only what goals.ts needs. */
  goals: boolean;
  contests: Contest[];
  rounds: number;
  /** The seconds to wait, in all, for a quiet machine. */
  patience: number;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const known = {
  ...{ models: text, engines: text, only: text, threads: text, depths: text },
  ...{ variant: text, repeat: text, patience: text, before: text },
  ...{ 'llama-kernels': text, 'ik-llama-bench': text, quick: flag, goals: flag, help: flag },
};

function valuesOf(args: string[]) {
  try {
    return parseArgs({ args, options: known }).values;
  } catch (error) {
    throw new BenchError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

/** Null if only the usage was requested. */
export function parse(args: string[]): Options | null {
  const values = valuesOf(args);
  if (values.help) return null;
  const list = (value: string) => value.split(',').filter(Boolean);
  const number = (value: string, name: string, least = 0) => {
    if (!/^\d+$/.test(value) || Number(value) < least)
      throw new BenchError(`--${name} must be a whole number of at least ${least}, not "${value}"`);
    return Number(value);
  };
  return {
    models: list(values.models ?? (values.quick ? '0.5b-q8_0' : '0.5b-q8_0,0.5b-q4_k_m,1.5b-q4_k_m')),
    before: values.before,
    ikLlamaBench: (values['ik-llama-bench'] ?? '').split(' ').filter(Boolean),
    engines: among(list(values.engines ?? 'hearth,llama.cpp'), ['hearth', 'llama.cpp'], 'engines'),
    only: among(list(values.only ?? groups.join(',')), groups, 'only'),
    threads: number(values.threads ?? '2', 'threads', 1),
    depths: list(values.depths ?? (values.goals ? '0' : '0,512,2048')).map((depth) => number(depth, 'depths')),
    goals: values.goals,
    contests: list(values.variant ?? 'best').map((variant) => contest(variant, values['llama-kernels'])),
    rounds: number(values.repeat ?? (values.quick ? '2' : '5'), 'repeat', 1),
    patience: number(values.patience ?? (values.quick ? '30' : values.goals ? '120' : '600'), 'patience'),
  };
}

function contest(variant: string, llamaKernels: string | undefined): Contest {
  const kernels = llamaKernels ?? counterparts[variant] ?? 'best';
  return { variant: variant === 'best' ? '' : variant, llamaKernels: kernels === 'best' ? '' : kernels };
}

function among<T extends string>(names: string[], all: readonly T[], flag: string): T[] {
  return names.map((name) => {
    const found = all.find((other) => other === name);
    if (!found) throw new BenchError(`--${flag} knows ${all.join(', ')}; not "${name}"`);
    return found;
  });
}
