// The TypeScript interface of the engine, the only file of this folder that language-server/ may import.
import { addon, gpuKernels, guarded, requireCount } from './addon.ts';
import { describeGpus, rememberThatItWorks, usableBackend } from './gpu-driver.ts';
import { LoadedEngine } from './loaded-engine.ts';
import type { LoadOptions, ModelDescription } from './types.ts';

export { EngineError } from './addon.ts';
export type * from './types.ts';

export interface AddonInfo {
  /** Variants of the CPU kernels that this CPU can run, best first. */
  variants: string[];
  /** The GPUs that the drivers report, or why there are none. Takes a moment: a process of its own calls them. */
  gpus: () => Promise<string>;
}

/**
 * What a model file says about its model, without loading it. path: of the file or of its first part. Rejects with an
 * EngineError if the engine cannot run it.
 */
export const describeModel = (path: string): Promise<ModelDescription> => guarded(addon().describe(path));

/**
 * Checks whether an adapter can be loaded with a model, and loads neither. Rejects with an EngineError that names file and
 * tensor if it cannot.
 */
export const checkAdapter = (modelPath: string, adapterPath: string): Promise<void> =>
  guarded(addon().checkAdapter(modelPath, adapterPath));

export function addonInfo(): AddonInfo {
  return { variants: addon().variants(), gpus: () => describeGpus() };
}

/**
 * For each GPU: runtime and driver, memory, clock, whether its kernels compute correctly, and how fast they read
 * weights. Takes some seconds per GPU. isBrief: skips the measurements, for the emulated GPU of the tests.
 */
export async function gpuReport(kernels = gpuKernels(), isBrief = false): Promise<string> {
  const { problem } = await usableBackend('auto');
  if (problem !== '') return `${problem}\n`;
  return addon().gpuReport(kernels, isBrief);
}

/** Windows: only this user may open the named pipe, on which this process listens. Throws with the system's reason. */
export function keepOthersOut(pipe: string): void {
  const problem = addon().keepOthersOut(pipe);
  if (problem !== '') throw new Error(problem);
}

/** A limit, since every thread has its own scratch memory. No machine gets faster with this many. */
const maxThreads = 256;

/**
 * Loads a model on another thread and calls onProgress with 0 to 1. Rejects with an EngineError whose message names the
 * file or tensor and says what to do; its code is 'cancelled' after an abort.
 */
export async function loadEngine(
  { tokenNames = () => ({}), ...options }: LoadOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<LoadedEngine> {
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
  const complete = { ...defaults, gpuKernels: gpuKernels(), ...withoutUndefined(options) };
  requireCount(complete.threads, 'threads', maxThreads);
  for (const key of ['cacheBytes', 'contextTokens', 'diskBytes'] as const) requireCount(complete[key], key);
  // Of "auto" with a variant, which is the CPU's, no driver is called.
  const mayCall = complete.backend !== 'auto' || complete.variant === '';
  const { backend, problem } = mayCall
    ? await usableBackend(complete.backend)
    : { backend: complete.backend, problem: '' };
  const [engine, cancel] = addon().load({ ...complete, backend }, onProgress ?? null);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const native = await guarded(engine).finally(() => signal?.removeEventListener('abort', cancel));
  const loadOnCpu = () => guarded(addon().load({ ...complete, backend: 'cpu' }, null)[0]);
  try {
    const loaded = new LoadedEngine(native, tokenNames, loadOnCpu, problem);
    if (loaded.info.device === 'gpu') rememberThatItWorks(backend);
    return loaded;
  } catch (error) {
    await native.close().catch(() => undefined);
    throw error;
  }
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
