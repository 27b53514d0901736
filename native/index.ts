// The typed boundary to the engine: loads the addon, checks options, and nothing else.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Completion, Engine, EngineStatus, LoadOptions, ModelInfo, SpecialTokens, Timings } from './types.ts';

export type * from './types.ts';

/** Codes of native/error.h, plus 'addon-missing', 'bad-argument' and 'closed'. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

export interface AddonInfo {
  /** Variants of the CPU kernels that this CPU can run, best first. */
  variants: string[];
  /** The GPUs that AMD's runtime sees, or why there are none. Asks the runtime: takes a moment. */
  gpus: string;
}

// The order of RequestKind in request.h.
const kinds = { generate: 0, prefill: 1, logits: 2, lastLogits: 3, score: 4, clearCache: 5, learn: 6, pin: 7 } as const;

interface NativeRequest {
  kind: number;
  tokens: Uint32Array;
  heal: Uint8Array;
  maxTokens: number;
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
  isBackground: boolean;
  stopTokens: Uint32Array;
  logProbabilities: boolean;
  speculate: boolean;
  alternatives: number;
  pin: number;
}

interface NativeResult extends Omit<Completion, 'logProbabilities'> {
  values: Float32Array;
}

interface NativeEngine {
  info(): Omit<ModelInfo, 'special'> & { specialTokens: Record<string, number> };
  tokenize(text: string, parseSpecial: boolean): Uint32Array;
  detokenize(tokens: Uint32Array): string;
  tokenBytes(token: number): Uint8Array;
  submit(id: number, request: NativeRequest, onText: ((text: string) => void) | null): Promise<NativeResult>;
  cancel(id: number): void;
  status(): EngineStatus;
  close(): Promise<void>;
}

interface Addon {
  load(
    options: Required<LoadOptions>,
    onProgress: ((fraction: number) => void) | null,
  ): [engine: Promise<NativeEngine>, cancel: () => void];
  variants(): string[];
  gpus(): string;
}

let loadedAddon: Addon | undefined;

/** dist/hearth.node: beside the bundles, or one folder over when run from the sources. */
const addonPlaces = [join(__dirname, 'hearth.node'), join(__dirname, '..', 'dist', 'hearth.node')];
const addonPath = () => addonPlaces.find((place) => existsSync(place));

function addon(): Addon {
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

export function addonInfo(): AddonInfo {
  return { variants: addon().variants(), gpus: addon().gpus() };
}

/** Code objects by architecture, beside the addon; the package of a system without GPU support has none. */
const gpuKernels = () => join(dirname(addonPath() ?? ''), 'hip');

/**
 * Loads a model off the JavaScript thread; onProgress gets 0..1. Rejects with EngineError, whose message names the file
 * or tensor and says what to do; code 'cancelled' after an abort.
 */
export async function loadEngine(
  options: LoadOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
): Promise<Engine> {
  const defaults = {
    backend: 'auto',
    threads: 0,
    variant: '',
    cacheBytes: 0,
    kvType: 'f16',
    contextTokens: 0,
    draftModelPath: '',
    diskFolder: '',
    diskBytes: 0,
  } as const;
  const complete = { ...defaults, gpuKernels: gpuKernels(), ...withoutUndefined(options) };
  for (const key of ['threads', 'cacheBytes', 'contextTokens', 'diskBytes'] as const) {
    requireCount(complete[key], key);
  }
  const [engine, cancel] = addon().load(complete, onProgress ?? null);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const native = await guarded(engine).finally(() => signal?.removeEventListener('abort', cancel));
  return new LoadedEngine(native, () => guarded(addon().load({ ...complete, backend: 'cpu' }, null)[0]));
}

class LoadedEngine implements Engine {
  info: ModelInfo;
  onMovedToCpu?: (info: ModelInfo) => void;
  private nextId = 1;
  private isClosed = false;
  private moving: Promise<void> | undefined;
  private readonly unanswered = new Set<Promise<NativeResult>>();

  constructor(
    private native: NativeEngine,
    private readonly loadOnCpu: () => Promise<NativeEngine>,
  ) {
    this.info = infoOf(native);
  }

  tokenize(text: string, parseSpecial = false): Uint32Array {
    this.requireOpen();
    return this.native.tokenize(text, parseSpecial);
  }

  detokenize(tokens: Uint32Array): string {
    this.requireTokens(tokens);
    return this.native.detokenize(tokens);
  }

  tokenBytes(token: number): Uint8Array {
    this.requireTokens(Uint32Array.of(token));
    return this.native.tokenBytes(token);
  }

  async generate(
    request: Parameters<Engine['generate']>[0],
    onText?: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<Completion> {
    requireCount(request.maxTokens, 'maxTokens');
    const alternatives = request.alternatives ?? 1;
    if (![1, 2, 3, 4].includes(alternatives))
      throw new EngineError('bad-argument', `alternatives must be 1, 2, 3 or 4, not ${alternatives}`);
    const native = {
      ...(request.sampling ?? {}),
      heal: request.heal ?? new Uint8Array(),
      maxTokens: request.maxTokens,
      isBackground: request.priority === 'background',
      stopTokens: request.stopTokens ?? new Uint32Array(),
      logProbabilities: request.logProbabilities ?? false,
      speculate: request.speculate ?? true,
      alternatives,
    };
    const { values, ...completion } = await this.submit(kinds.generate, request.tokens, native, signal, onText);
    return { ...completion, logProbabilities: values };
  }

  async prefill(tokens: Uint32Array, priority?: 'foreground' | 'background', signal?: AbortSignal): Promise<Timings> {
    const isBackground = priority === 'background';
    return (await this.submit(kinds.prefill, tokens, { isBackground }, signal)).timings;
  }

  async logits(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array> {
    return (await this.submit(kinds.logits, tokens, {}, signal)).values;
  }

  async lastLogits(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array> {
    return (await this.submit(kinds.lastLogits, tokens, {}, signal)).values;
  }

  async score(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array> {
    return (await this.submit(kinds.score, tokens, {}, signal)).values;
  }

  status(): EngineStatus {
    this.requireOpen();
    return this.native.status();
  }

  async pin(id: number, tokens: Uint32Array): Promise<void> {
    requireCount(id, 'a pin');
    await this.submit(kinds.pin, tokens, { pin: id, isBackground: true });
  }

  async learn(tokens: Uint32Array): Promise<void> {
    await this.submit(kinds.learn, tokens, { isBackground: true });
  }

  async clearCache(): Promise<void> {
    await this.submit(kinds.clearCache, new Uint32Array(), {});
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.moving?.catch(() => undefined);
    await this.native.close();
  }

  /** Once for all requests that learn that the GPU is lost. */
  private moveToCpu(lost: NativeEngine, whyCpu: string): Promise<void> {
    if (this.native === lost) {
      this.moving ??= this.replace(lost, whyCpu).finally(() => {
        this.moving = undefined;
      });
    }
    return this.moving ?? Promise.resolve();
  }

  private async replace(lost: NativeEngine, whyCpu: string): Promise<void> {
    this.native = await this.loadOnCpu();
    this.info = { ...infoOf(this.native), whyCpu };
    // It refuses each at once, to be asked again here; closing would cancel those that it has not come to.
    await Promise.allSettled(this.unanswered);
    // Its pages cannot be saved any more.
    await lost.close().catch(() => undefined);
    this.onMovedToCpu?.(this.info);
  }

  private async submit(
    kind: number,
    tokens: Uint32Array,
    options: Partial<NativeRequest>,
    signal?: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<NativeResult> {
    if (this.moving !== undefined) await this.moving;
    this.requireOpen();
    const { native } = this;
    const id = this.nextId++;
    let hasStreamed = false;
    const stream = (text: string) => {
      hasStreamed = true;
      onText?.(text);
    };
    const request = { ...requestDefaults, ...options, kind, tokens };
    const promise = guarded(native.submit(id, request, onText ? stream : null));
    this.unanswered.add(promise);
    const cancel = () => {
      if (!this.isClosed && native === this.native) native.cancel(id);
    };
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise.finally(() => this.unanswered.delete(promise));
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'backend-failed' || this.isClosed) throw error;
      await this.moveToCpu(native, error.message);
      if (hasStreamed) throw error;
      return await this.submit(kind, tokens, options, signal, onText);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  private requireOpen(): void {
    if (this.isClosed) throw new EngineError('closed', 'the engine was closed');
  }

  private requireTokens(tokens: Uint32Array): void {
    this.requireOpen();
    const wrong = tokens.find((token) => token >= this.info.vocabulary);
    if (wrong !== undefined) throw new EngineError('bad-argument', `token id ${wrong} is outside the vocabulary`);
  }
}

function infoOf(native: NativeEngine): ModelInfo {
  const { specialTokens, ...info } = native.info();
  return { ...info, special: specialIds(specialTokens) };
}

const requestDefaults = {
  heal: new Uint8Array(),
  maxTokens: 0,
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  seed: 0,
  isBackground: false,
  stopTokens: new Uint32Array(),
  logProbabilities: false,
  speculate: false,
  alternatives: 1,
  pin: 0,
};

function specialIds(ids: Record<string, number>): SpecialTokens {
  const id = (name: string) => ids[`<|${name}|>`] ?? -1;
  return {
    fimPrefix: id('fim_prefix'),
    fimMiddle: id('fim_middle'),
    fimSuffix: id('fim_suffix'),
    fileSep: id('file_sep'),
    repoName: id('repo_name'),
    imStart: id('im_start'),
    imEnd: id('im_end'),
    endOfText: id('endoftext'),
  };
}

/** The addon's errors carry their code as a property. */
async function guarded<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new EngineError(String(error.code), error.message);
    throw error;
  }
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function requireCount(value: number, name: string): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new EngineError('bad-argument', `${name} must be a whole number of at least 0, not ${value}`);
}
