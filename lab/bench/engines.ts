// The engines to measure: each run is a separate process that loads the model, measures, and prints JSON.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import type { Rival } from './goals.ts';
import { commit } from './report.ts';

export interface Plan {
  purpose: 'speed' | 'memory';
  model: string;
  /** The size of the model's vocabulary. */
  vocabulary: number;
  threads: number;
  variant: string;
  /** Prefill and decode are measured after each of these numbers of context tokens. */
  depths: number[];
  /** The lengths of the prompts to prefill. */
  prefill: number[];
  /** The number of single-token steps; 0 if decoding is not measured. */
  decode: number;
  /** The sizes of single forward passes, measured after batchDepth tokens of context. */
  batch: number[];
  batchDepth: number;
  batchRounds: number;
}

export interface RunResult {
  /**
   * Keys: "prefill 512 at 0" (tokens/s), "decode 64 at 2048" (tokens/s), "batch 4" (ms), "load" (ms), "memory" (MB);
   * engines that report ops also have "prefill 512 at 0 in matmuls": the tokens/s if only the matmuls took time.
   */
  samples: Record<string, number[]>;
  /** The milliseconds of each op, by the keys of samples. Empty for engines that do not report ops. */
  ops: Record<string, Record<string, number>>;
  variant: string;
}

export interface BenchEngine {
  name: 'hearth' | Rival['name'];
  /** The engine's name in the CSV file. */
  label: string;
  run(plan: Plan): Promise<RunResult>;
}

interface HearthReport {
  loadMs: number;
  peakRssMb: number;
  variant: string;
  measures: Record<string, { samples: number[]; ops: { op: string; ms: number }[] }>;
}

/** Runs the bench of this checkout or of another one. Old checkouts have it in the product, as `hearth bench`. */
export function hearth(root: string, name: 'hearth' | 'before' = 'hearth'): BenchEngine {
  const tools = join(root, 'lab', 'tools', 'bench.ts');
  const program = existsSync(tools) ? join(root, 'lab', 'tools', 'run.mjs') : join(root, 'dist', 'hearth.js');
  const flags = (flag: string, values: number[]) => values.flatMap((value) => [flag, String(value)]);
  return {
    name,
    label: `hearth ${name === 'before' ? commit(root) : ''}`.trimEnd(),
    async run(plan) {
      const args = ['bench', '--json', '--model', plan.model, '-t', String(plan.threads), '--repeat', '1'];
      if (plan.variant) args.push('--variant', plan.variant);
      args.push(...flags('-p', plan.prefill.length > 0 ? plan.prefill : [0]));
      args.push(...flags('-n', [plan.decode]), ...flags('-d', plan.depths), ...flags('-b', plan.batch));
      const report = await runJson<HearthReport>([program, ...args]);
      const result: RunResult = { samples: {}, ops: {}, variant: report.variant };
      for (const [key, { samples, ops }] of Object.entries(report.measures)) {
        const fullKey = /^(prefill|decode) \d+$/.test(key) ? `${key} at 0` : key;
        const times = Object.fromEntries(ops.map(({ op, ms }) => [op, ms]));
        result.samples[fullKey] = samples;
        result.ops[fullKey] = times;
        if (/^prefill \d+$/.test(key))
          result.samples[`${fullKey} in matmuls`] = [matmulRate(key, samples.length, times)];
      }
      return { ...result, samples: { ...result.samples, load: [report.loadMs], memory: [report.peakRssMb] } };
    },
  };
}

/** Tokens/s if only these ops took time. Their times include the norms, quantizing and RoPE that are part of them. */
function matmulRate(prefill: string, runs: number, times: Record<string, number>): number {
  const ms = ['qkv', 'attn_output', 'ffn_gate_up', 'ffn_down'].reduce((sum, op) => sum + (times[op] ?? 0), 0);
  return (runs * Number(prefill.split(' ')[1]) * 1000) / ms;
}

/**
 * kernels: the llama.cpp build to use, named after a CPU (haswell, zen4, ...). If empty, llama.cpp chooses the best one
 * for this CPU, as it does for users.
 */
export function llamaCpp(root: string, kernels: string): BenchEngine {
  const entry = llamaCppEntry(root, kernels);
  return {
    name: 'llama.cpp',
    label: `node-llama-cpp ${llamaCppVersion} ${kernels}`.trimEnd(),
    async run(plan) {
      const worker = join(root, 'lab', 'bench', 'llama-cpp.mjs');
      const { samples } = await runJson<{ samples: Record<string, number[]> }>([
        ...[worker, entry],
        JSON.stringify(plan),
      ]);
      return { samples, ops: {}, variant: '' };
    },
  };
}

interface LlamaBenchTest {
  n_prompt: number;
  n_gen: number;
  /** Tokens/s. */
  samples_ts: number[];
}

/**
 * command: the path of a llama-bench program, and any extra arguments (such as -rtr 1). The program measures only
 * speeds, and only without context.
 */
export function ikLlamaCpp(command: string[]): BenchEngine {
  return {
    name: 'ik_llama.cpp',
    label: ['ik_llama.cpp', ...command.slice(1)].join(' '),
    async run({ purpose, model, threads, prefill, decode }) {
      const samples: Record<string, number[]> = {};
      if (purpose === 'memory') return { samples, ops: {}, variant: '' };
      const options = [
        '-m',
        model,
        '-t',
        String(threads),
        '-p',
        prefill.join(',') || '0',
        '-n',
        String(decode),
        '-r',
        '1',
      ];
      const out = await run([...command, ...options, '-o', 'json']);
      for (const test of JSON.parse(out.slice(out.indexOf('['))) as LlamaBenchTest[]) {
        const name = test.n_gen > 0 ? `decode ${test.n_gen} at 0` : `prefill ${test.n_prompt} at 0`;
        samples[name] = test.samples_ts;
      }
      return { samples, ops: {}, variant: '' };
    },
  };
}

/** The path of the module to import from node-llama-cpp. Installs node-llama-cpp if it is not there yet. */
export function llamaCppEntry(root: string, kernels = ''): string {
  const folder = installLlamaCpp(join(root, '.cache', 'bench'));
  return join(kernels ? withKernels(folder, kernels) : folder, 'node_modules/node-llama-cpp/dist/index.js');
}

/**
 * Installs node-llama-cpp in a folder with its own package.json, since the product does not depend on it. We ignore its
 * install scripts, which would build it from source.
 */
function installLlamaCpp(folder: string): string {
  const names = ['node-llama-cpp', `@node-llama-cpp/${platform}`];
  const installed = (name: string) => {
    const file = join(folder, 'node_modules', name, 'package.json');
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version;
  };
  if (names.every((name) => installed(name) === llamaCppVersion)) return folder;
  console.log('installing node-llama-cpp into .cache/bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = names.map((name) => `${name}@${llamaCppVersion}`);
  const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel', 'error'];
  try {
    execFileSync('npm', ['install', ...flags, ...packages], { cwd: folder, stdio: 'inherit' });
  } catch {
    throw new BenchError('node-llama-cpp cannot be installed; measure without it: npm run bench -- --engines hearth');
  }
  return folder;
}

/**
 * Makes a copy of the installation, out of hard links, that contains only this build: llama.cpp itself chooses among
 * the builds that it finds.
 */
function withKernels(folder: string, kernels: string): string {
  const copy = `${folder}-${kernels}`;
  const libraries = join(copy, 'node_modules', '@node-llama-cpp', platform, 'bins', platform);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  execFileSync('cp', ['-al', join(folder, 'node_modules'), copy]);
  const builds = readdirSync(libraries).filter((file) => file.startsWith('libggml-cpu-'));
  const wanted = builds.filter((file) => file.startsWith(`libggml-cpu-${kernels}.`));
  if (wanted.length === 0) throw new BenchError(`llama.cpp has no build "${kernels}"; it has ${builds.join(', ')}`);
  for (const file of builds) if (!wanted.includes(file)) rmSync(join(libraries, file));
  return copy;
}

export const platform = `${process.platform === 'darwin' ? 'mac' : 'linux'}-${process.arch}`;
export const llamaCppVersion = '3.22.1';

/** Runs the script and parses the last line that it prints. */
async function runJson<T>(script: string[]): Promise<T> {
  const out = await run([process.execPath, ...script]);
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as T;
}

function run(command: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 && out.trim()) resolve(out);
      else reject(new BenchError(`${command.slice(0, 3).join(' ')} failed (exit code ${code})\n${err.trim()}`));
    });
  });
}
