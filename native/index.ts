// The TypeScript interface of the engine. language-server/ may import no other file of this folder.
import { addon, gpuKernels, guarded, requireCount } from './addon.ts';
import { type Backend, describeGpus, rememberThatItWorks, usableBackend } from './gpu-driver.ts';
import { type CompleteOptions, GpuRace, tryGpu } from './gpu-trial.ts';
import { LoadedEngine } from './loaded-engine.ts';
import type { GpuTrial, ModelDescription } from './model-types.ts';
import type { LoadOptions } from './types.ts';

export { EngineError } from './addon.ts';
export type * from './model-types.ts';
export type * from './types.ts';

export interface AddonInfo {
  /** Variants of the CPU kernels that this CPU can run, best first. */
  variants: string[];
  /**
   * The GPUs that the drivers report, or why there are none. Takes a moment, since a separate process calls the
   * drivers.
   */
  gpus: () => Promise<string>;
}

/**
 * Describes a model from its file, without loading it. path: the file, or the first of its parts. Rejects with an
 * EngineError if the engine cannot run the model.
 */
export const describeModel = (path: string): Promise<ModelDescription> => guarded(addon().describe(path));

/**
 * Checks whether an adapter can be loaded with a model, but loads neither. If it cannot, rejects with an EngineError
 * that names file and tensor.
 */
export const checkAdapter = (modelPath: string, adapterPath: string): Promise<void> =>
  guarded(addon().checkAdapter(modelPath, adapterPath));

export function addonInfo(): AddonInfo {
  return { variants: addon().variants(), gpus: () => describeGpus() };
}

/**
 * For each GPU: runtime and driver, memory, clock, whether its kernels compute correctly, and how fast they read
 * weights; then the same for WebGPU. Takes some seconds per GPU. isBrief: measures as little as possible, for the
 * tests.
 */
export async function gpuReport(kernels = gpuKernels(), isBrief = false): Promise<string> {
  const parts = (['auto', 'webgpu'] as const).map(async (backend) => {
    const { problem } = await usableBackend(backend);
    return problem === '' ? addon().gpuReport(backend, kernels, isBrief) : `${problem}\n\n`;
  });
  return (await Promise.all(parts)).join('');
}

/**
 * Runs a model on the CPU and on the GPU that WebGPU would use, and compares them; undefined if there is no such GPU.
 */
export async function timeGpu(
  given: Pick<LoadOptions, 'modelPath' | 'gpu' | 'threads'>,
): Promise<GpuTrial | undefined> {
  const options = complete(given);
  if ((await usableBackend('webgpu')).problem !== '') return undefined;
  const engine = await loadEngine({ ...options, backend: 'cpu' });
  const { signal } = new AbortController();
  return tryGpu(options, 'cpu', engine, signal).finally(() => engine.close());
}

/**
 * Windows: lets only this user open a named pipe on which this process listens. Throws the system's reason if that
 * fails.
 */
export function keepOthersOut(pipe: string): void {
  const problem = addon().keepOthersOut(pipe);
  if (problem !== '') throw new Error(problem);
}

/** Every thread has its own scratch memory, so their number is limited. No machine gets faster with more threads. */
const maxThreads = 256;

/**
 * Loads a model on another thread and calls onProgress with 0 to 1. Rejects with an EngineError whose message names the
 * file or tensor and says what to do; its code is 'cancelled' after an abort.
 */
export async function loadEngine(
  { tokenNames = () => ({}), ...given }: LoadOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<LoadedEngine> {
  const options = complete(given);
  const { backend, problem, race } = await choose(options);
  const [engine, cancel] = addon().load({ ...options, backend }, onProgress ?? null);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const native = await guarded(engine).finally(() => signal?.removeEventListener('abort', cancel));
  const loadOnCpu = () => guarded(addon().load({ ...options, backend: 'cpu' }, null)[0]);
  try {
    const loaded = new LoadedEngine(native, tokenNames, loadOnCpu, problem);
    if (loaded.info.device === 'gpu') rememberThatItWorks(backend);
    if (race !== undefined) enter(race, loaded, backend);
    return loaded;
  } catch (error) {
    await native.close().catch(() => undefined);
    throw error;
  }
}

function complete(given: Omit<LoadOptions, 'tokenNames'>): CompleteOptions {
  const defaults = {
    backend: 'auto',
    gpu: '',
    threads: 0,
    variant: '',
    cacheBytes: 0,
    kvType: 'f16',
    contextTokens: 0,
    adapters: [] as string[],
    draftModelPath: '',
    diskFolder: '',
    diskBytes: 0,
  } as const;
  const options = { ...defaults, gpuKernels: gpuKernels(), ...withoutUndefined(given) };
  requireCount(options.threads, 'threads', maxThreads);
  for (const key of ['cacheBytes', 'contextTokens', 'diskBytes'] as const) requireCount(options[key], key);
  return options;
}

interface Choice {
  backend: Backend;
  /** Why the drivers of some GPUs are not called; '' if all are. */
  problem: string;
  /** The trial of a GPU that is used only if it is faster. */
  race?: GpuRace | undefined;
}

async function choose(options: CompleteOptions): Promise<Choice> {
  const mayRace = options.backend === 'webgpu-if-faster';
  const asked = options.backend === 'webgpu-if-faster' ? 'auto' : options.backend;
  // A variant selects the CPU, since only the CPU has variants; so no driver is called.
  if (asked === 'auto' && options.variant !== '') return { backend: asked, problem: '' };
  const choice = await usableBackend(asked);
  const race = mayRace ? await GpuRace.of(options, choice.backend) : undefined;
  return (await race?.isWon()) ? { backend: 'webgpu', problem: '', race } : { ...choice, race };
}

/**
 * Sets info.gpuTrial and tryGpu. With backend 'webgpu' the GPU has already won: it is in use, or its memory was not
 * enough. A GPU that another backend uses does not race.
 */
function enter(race: GpuRace, engine: LoadedEngine, backend: Backend): void {
  const setTrial = () => {
    if (race.trial !== undefined) engine.info = { ...engine.info, gpuTrial: race.trial };
  };
  const isOnGpu = engine.info.device === 'gpu';
  if (isOnGpu === (backend === 'webgpu')) setTrial();
  if (isOnGpu || backend === 'webgpu') return;
  engine.tryGpu = async (signal) => {
    await race.run(engine, signal);
    setTrial();
  };
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
