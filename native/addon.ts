// Loads the addon, declares its functions for TypeScript, and converts its errors.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ModelDescription, ModelInfo, ModelTexts } from './model-types.ts';
import type { Completion, EngineStatus, LoadOptions, OnText } from './types.ts';

/** Codes of native/common/error.h, plus 'addon-missing', 'bad-argument' and 'closed'. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

export interface NativeRequest {
  kind: 'generate' | 'prefill' | 'logits' | 'lastLogits' | 'score' | 'continuations';
  tokens: Uint32Array;
  /** The number of a loaded adapter, from 1; 0: none. */
  adapter: number;
  continuations: Uint32Array[];
  /** For each continuation, the number of first tokens without a score. */
  given: Uint32Array;
  heal: Uint8Array;
  maxTokens: number;
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
  isBackground: boolean;
  stopTokens: Uint32Array;
  speculate: boolean;
  alternatives: number;
  streamAlternatives: boolean;
  traceOps: boolean;
}

export interface NativeResult extends Omit<Completion, 'logProbabilities'> {
  values: Float32Array;
}

export interface NativeEngine {
  info(): Omit<ModelInfo, 'special' | 'suffixFirst'>;
  texts(): ModelTexts;
  tokenize(text: string, parseSpecial: boolean): Uint32Array;
  detokenize(tokens: Uint32Array): string;
  tokenBytes(token: number): Uint8Array;
  submit(id: number, request: NativeRequest, onText: OnText | null): Promise<NativeResult>;
  pin(id: number, tokens: Uint32Array, adapter: number): Promise<void>;
  learn(tokens: Uint32Array): Promise<void>;
  clearCache(): Promise<void>;
  cancel(id: number): void;
  endAnswer(id: number, answer: number): void;
  status(): EngineStatus;
  close(): Promise<void>;
}

interface Addon {
  load(
    options: Required<Omit<LoadOptions, 'tokenNames'>>,
    onProgress: ((fraction: number) => void) | null,
  ): [engine: Promise<NativeEngine>, cancel: () => void];
  describe(path: string): Promise<ModelDescription>;
  checkAdapter(modelPath: string, adapterPath: string): Promise<void>;
  variants(): string[];
  gpus(backend: string, kernels: string): Promise<string>;
  /**
   * Whether a backend's driver seems to be installed, and the paths of our files about it: '' without a cache folder.
   */
  gpuDriver(backend: string): { isThere: boolean; recordFile: string; trialsFile: string };
  /**
   * The name and driver of the GPU that WebGPU would use; '' if there is none, or if the backends `others` can use a
   * GPU.
   */
  unservedGpu(others: string, kernels: string, gpu: string): Promise<string>;
  gpuReport(backend: 'auto' | 'webgpu', kernels: string, isBrief: boolean): Promise<string>;
  keepOthersOut(pipe: string): string;
}

let loadedAddon: Addon | undefined;

/** The path of hearth.node: beside the bundles, or in dist/ when run from the sources. */
const addonPlaces = [join(__dirname, 'hearth.node'), join(__dirname, '..', 'dist', 'hearth.node')];
export const addonPath = () => addonPlaces.find((place) => existsSync(place));
/** The folder of the GPU kernels; packages for systems without GPU support lack it. */
export const gpuKernels = () => join(dirname(addonPath() ?? ''), 'gpu');

export function addon(): Addon {
  if (loadedAddon) return loadedAddon;
  const path = addonPath();
  if (!path) throw new EngineError('addon-missing', `${addonPlaces[0]} is missing; run "npm run build:native"`);
  try {
    loadedAddon = createRequire(path)(path) as Addon;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new EngineError(
      'addon-missing',
      `${path} does not run on ${process.platform}-${process.arch}: ${detail}; install the build for this platform`,
    );
  }
  return loadedAddon;
}

/** The addon's errors carry their code as a property. */
export async function guarded<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new EngineError(String(error.code), error.message);
    throw error;
  }
}

export function requireCount(value: number, name: string, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return;
  const bounds = most === Number.MAX_SAFE_INTEGER ? 'of at least 0' : `from 0 to ${most}`;
  throw new EngineError('bad-argument', `${name} must be a whole number ${bounds}, not ${value}`);
}
