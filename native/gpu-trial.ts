// Tries a GPU that neither HIP nor CUDA can use, with WebGPU: how fast it reads and writes with a model, compared with
// the CPU. A separate process uses the GPU, so that a driver that hangs or ends its process harms nobody.
import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { addon, addonPath, EngineError, type NativeRequest } from './addon.ts';
import { driverFault, rememberThatItWorks, usableBackend } from './gpu-driver.ts';
import { GpuRecord } from './gpu-records.ts';
import { bestSpeed, compare, readTokens, rounds, writtenTokens } from './gpu-verdict.ts';
import { requestDefaults } from './loaded-engine.ts';
import type { GpuTrial, Speed } from './model-types.ts';
import type { Engine, LoadOptions, Timings } from './types.ts';

export type CompleteOptions = Required<Omit<LoadOptions, 'tokenNames'>>;

/** Loading a large model from a slow disk takes a minute, and so does compiling kernels. */
const limitMs = 300_000;
const maxTextBytes = 2 ** 20;
/**
 * Ends when its parent ends. NULs enclose each finding, since a driver might print something. The first finding is the
 * GPU's name. If there is a GPU other than the known one, timings or a problem follow.
 */
const program = `
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  const [path, text] = process.argv.slice(1);
  const { options, served, known, request, rounds } = JSON.parse(text);
  require('node:os').setPriority(10);
  const addon = require(path);
  const say = (finding) => new Promise((resolve) => process.stdout.write('\\0' + JSON.stringify(finding) + '\\0', resolve));
  const run = async () => {
    const gpu = await addon.unservedGpu(served, options.gpuKernels, options.gpu);
    await say({ gpu });
    if (gpu === '' || gpu === known) return;
    const engine = await addon.load({ ...options, backend: 'webgpu' }, null)[0];
    const { device, fallbackReason } = engine.info();
    if (device !== 'gpu') return say({ problem: fallbackReason });
    const timings = [];
    for (let i = 0; i < rounds.length; i++) {
      const tokens = Uint32Array.from(rounds[i]);
      const empty = new Uint32Array();
      const native = { ...request, tokens, given: empty, stopTokens: empty, heal: new Uint8Array() };
      timings.push((await engine.submit(i + 1, native, null)).timings);
    }
    await say({ timings });
    await engine.close();
  };
  run().catch((error) => say({ problem: error.message })).then(() => process.exit(0));
`;

// JSON cannot express the empty typed arrays of a request, so the program makes new ones.
const request = { ...requestDefaults, kind: 'generate', maxTokens: writtenTokens } satisfies Partial<NativeRequest>;

/** Random prompts, so that the cache has no part of them. */
const prompts = (vocabulary: number): number[][] =>
  Array.from({ length: rounds }, () =>
    Array.from({ length: readTokens }, () => Math.floor(Math.random() * vocabulary)),
  );

/** The trial of a GPU with a model; made when the model is loaded. */
export class GpuRace {
  private constructor(
    private readonly options: CompleteOptions,
    /** GPUs of this backend need no WebGPU: 'auto', or the only backend whose driver can be called. */
    private readonly served: string,
    private readonly record: GpuRecord,
  ) {}

  /** Undefined if the options exclude a GPU, or if the file cannot be described. */
  static async of(options: CompleteOptions, served: string): Promise<GpuRace | undefined> {
    if (options.variant !== '' || options.adapters.length > 0) return undefined;
    const model = await addon()
      .describe(options.modelPath)
      .catch(() => undefined);
    if (model === undefined) return undefined;
    const { quantization, fileBytes, parameters, readBytesPerToken, weightsPerToken, kvBytesPerToken } = model;
    const shape = [quantization, fileBytes, parameters, readBytesPerToken, weightsPerToken, kvBytesPerToken];
    const key = [...shape, options.threads, options.gpu, release()].join(' ');
    return new GpuRace(options, served, new GpuRecord(key));
  }

  /** The result of the last trial, if there is one. */
  get trial(): GpuTrial | undefined {
    return this.record.trial;
  }

  /** Whether the GPU has won and is still there. If it has not won, no driver is called. */
  async isWon(): Promise<boolean> {
    const { trial } = this;
    if (trial?.figures?.isFaster !== true) return false;
    if ((await usableBackend('webgpu')).problem !== '') return false;
    const gpu = await addon().unservedGpu(this.served, this.options.gpuKernels, this.options.gpu);
    if (gpu === trial.gpu) return true; // the next load will record that the driver works
    rememberThatItWorks('webgpu');
    return false;
  }

  /**
   * Tries the GPU, unless there is a result already. cpu: the engine that runs the model now. Takes seconds or minutes,
   * at low priority; an abort ends it soon. Resolves to the result, if there is one.
   */
  async run(cpu: Engine, signal: AbortSignal): Promise<GpuTrial | undefined> {
    if (!this.record.mayBegin) return this.trial;
    this.record.begin();
    let trial: GpuTrial | undefined;
    try {
      trial = await tryGpu(this.options, this.served, cpu, signal, this.trial?.figures && this.trial.gpu);
    } finally {
      this.record.end(trial); // also after an abort
    }
    return this.trial;
  }
}

/** Undefined if there is no such GPU, if it is the known one, or after an abort. cpu: an engine with the same model. */
export async function tryGpu(
  options: CompleteOptions,
  served: string,
  cpu: Engine,
  signal: AbortSignal,
  known?: string,
): Promise<GpuTrial | undefined> {
  // The pages on disk belong to the other engine.
  const alone = { ...options, diskFolder: '', draftModelPath: '' };
  const asked = { options: alone, served, known, request, rounds: prompts(cpu.info.vocabulary) };
  const { gpu, timings, problem } = await askGpu(asked, signal);
  if (signal.aborted) return undefined;
  if (problem !== '') return { gpu, problem };
  if (gpu === '' || gpu === known) return undefined;
  const gpuSpeed = bestSpeed(timings);
  if (gpuSpeed === null) return { gpu, problem: 'the model writes nothing' };
  const cpuSpeed = await timeCpu(cpu, signal);
  if (cpuSpeed === null || signal.aborted) return undefined;
  return { gpu, figures: compare(cpuSpeed, gpuSpeed) };
}

async function timeCpu(cpu: Engine, signal: AbortSignal): Promise<Speed | null> {
  const all: Timings[] = [];
  for (const prompt of prompts(cpu.info.vocabulary)) {
    const tokens = Uint32Array.from(prompt);
    const writing = { tokens, maxTokens: writtenTokens, priority: 'background', speculate: false } as const;
    all.push((await cpu.generate(writing, undefined, signal)).timings);
    if (signal.aborted) return null;
  }
  return bestSpeed(all);
}

interface Findings {
  gpu: string;
  timings: Timings[];
  problem: string;
}

function askGpu(asked: object, signal: AbortSignal): Promise<Findings> {
  const path = addonPath();
  if (path === undefined) throw new EngineError('addon-missing', 'hearth.node is missing');
  const options = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: maxTextBytes, windowsHide: true } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['-e', program, path, JSON.stringify(asked)], options, (error, output) => {
      signal.removeEventListener('abort', kill);
      const findings = findingsIn(output);
      if (error !== null && findings.problem === '') findings.problem = driverFault('webgpu', error, limitMs);
      forgetMarks(child.pid);
      resolve(findings);
    });
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    if (signal.aborted) kill();
  });
}

function findingsIn(output: string): Findings {
  const texts = output.split('\0').slice(0, -1); // drops the text after the last NUL
  const said = texts.filter((_, i) => i % 2 === 1).map((text): Partial<Findings> => JSON.parse(text));
  return Object.assign({ gpu: '', timings: [], problem: '' }, ...said);
}

/** Deletes the marks that the process has left: they matter only if nobody saw how it ended. */
function forgetMarks(pid = 0): void {
  const folder = dirname(addon().gpuDriver('webgpu').trialsFile);
  try {
    const names = readdirSync(folder).filter((name) => new RegExp(`^gpu-work-[0-9a-f]+-${pid}-\\d+$`).test(name));
    for (const name of names) rmSync(join(folder, name), { force: true });
  } catch {
    // The folder does not exist.
  }
}
