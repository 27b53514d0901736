// Owns the engine: loads it in the background, and reloads it when its options change. If loading fails, keeps the
// message for the user.
import { basename } from 'node:path';
import { type Engine, EngineError, type ModelInfo } from '../../native/index.ts';
import { freeMemoryBytes, refusal } from '../models/estimate.ts';
import { bytesOfAllParts } from '../models/local-models.ts';
import type { Model } from '../models/model-traits.ts';
import { errorText, type Log, sentence } from '../protocol/log.ts';
import type { ModelOptions } from './load-options.ts';

export type LoadModel = (
  options: ModelOptions,
  onProgress?: (fraction: number) => void,
  signal?: AbortSignal,
) => Promise<Model>;

/** The reason why a file of this size must not be loaded while this much memory is free; null if it may be loaded. */
export type Refuse = (name: string, fileBytes: number, freeBytes: number) => string | null;

export type HostState =
  | { kind: 'unloaded' }
  | { kind: 'loading'; progress: number; modelPath: string }
  | { kind: 'ready'; model: Model }
  | { kind: 'failed'; message: string };

export class EngineHost {
  private current: HostState = { kind: 'unloaded' };
  /** The options of the engine that is loaded or being loaded, as JSON; '' if there is none. */
  private wantedOptions = '';
  private abort = new AbortController();
  /** Resolves when the last load or unload is done. */
  private done: Promise<void> = Promise.resolve();

  constructor(
    private readonly load: LoadModel,
    private readonly log: Log,
    private readonly onChange: () => void,
    private readonly refuse: Refuse = refusal,
  ) {}

  get state(): HostState {
    return this.current;
  }

  get model(): Model | null {
    return this.current.kind === 'ready' ? this.current.model : null;
  }

  get engine(): Engine | null {
    return this.model?.engine ?? null;
  }

  /** Loads an engine, unless one with these options is loaded or being loaded. Never rejects. */
  ensure(options: ModelOptions): Promise<void> {
    const key = JSON.stringify(options);
    if (key === this.wantedOptions && this.current.kind !== 'failed') return this.done;
    const { unloaded, signal } = this.unloadFor(key);
    this.done = unloaded.then(() => this.run(options, signal));
    return this.done;
  }

  /** Like ensure(), but for explicit commands: rejects with a message for the user if the model cannot be loaded. */
  async required(options: ModelOptions): Promise<Model> {
    await this.ensure(options);
    const state = this.current;
    if (state.kind === 'ready') return state.model;
    throw new Error(state.kind === 'failed' ? state.message : 'The model is being replaced. Please try again.');
  }

  /** Cancels a load in progress, or frees the loaded model. */
  unload(): Promise<void> {
    this.done = this.unloadFor('').unloaded;
    return this.done;
  }

  /**
   * Cancels a load in progress, or frees the loaded model. The next load must wait until `unloaded` resolves, so that
   * two models are never in memory at once. The signal is aborted when the next load is no longer wanted. key: the
   * options of the next load, as JSON; '' if there is none.
   */
  private unloadFor(key: string): { unloaded: Promise<void>; signal: AbortSignal } {
    const { engine, done } = this;
    this.wantedOptions = key;
    this.current = { kind: 'unloaded' };
    this.abort.abort();
    this.abort = new AbortController();
    const unloaded = done
      .then(() => engine?.close())
      .catch((error: unknown) => this.log.error(`cannot close the engine: ${errorText(error)}`));
    return { unloaded, signal: this.abort.signal };
  }

  private async run(options: ModelOptions, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { modelPath } = options;
    const startedAt = performance.now();
    const update = (state: HostState) => {
      if (signal.aborted) return;
      this.current = state;
      this.onChange();
    };
    update({ kind: 'loading', progress: 0, modelPath });
    try {
      // If the file is missing, the engine says so.
      const fileBytes = await bytesOfAllParts(modelPath).catch(() => 0);
      const refusalText = this.refuse(basename(modelPath), fileBytes, freeMemoryBytes());
      if (refusalText !== null) throw new EngineError('out-of-memory', refusalText);
      const onProgress = (progress: number) => update({ kind: 'loading', progress, modelPath });
      const model = await this.load(options, onProgress, signal);
      const { engine } = model;
      if (signal.aborted) return await engine.close();
      engine.onMovedToCpu = (info) => {
        this.log.error(`the GPU failed; the model now runs on ${backendLine(info)}`);
        update({ kind: 'ready', model });
      };
      const { info } = engine;
      this.log.info(
        `loaded ${sentence(info.name)} (${info.quantization}) on ${backendLine(info)} in ${sinceMs(startedAt)} ms`,
      );
      const { ownAdapters = {}, adapterProblem } = model;
      for (const [task, path] of Object.entries(ownAdapters)) this.log.info(`adapter for ${task}: ${basename(path)}`);
      if (adapterProblem !== undefined) this.log.warn(`the model runs without Hearth's adapters: ${adapterProblem}`);
      if (info.restoredPages > 0) this.log.info(`restored ${info.restoredPages} cache pages from disk`);
      if (info.draftProblem !== '') this.log.warn(`running without a draft model: ${info.draftProblem}`);
      for (const problem of info.diskProblems) this.log.warn(problem);
      update({ kind: 'ready', model });
    } catch (error) {
      if (signal.aborted) return;
      this.log.error(`cannot load ${modelPath}: ${errorText(error)}`);
      update({ kind: 'failed', message: messageForPeople(error) });
    }
  }
}

/** The backend and, if the GPU could not be used, the reason. */
export function backendLine({ backend, fallbackReason }: ModelInfo): string {
  return fallbackReason === '' ? backend : `${backend} (${fallbackReason})`;
}

/** The engine's errors say what happened and what the user can do. Any other error is a bug in Hearth. */
function messageForPeople(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  const reason = error instanceof Error ? error.message : String(error);
  return `The model could not be loaded because of a fault in Hearth: ${reason}. The log has the details.`;
}

function sinceMs(startedAt: number): string {
  return (performance.now() - startedAt).toFixed(0);
}
