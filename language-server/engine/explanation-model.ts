// The separate model for explanations, if the user has chosen one. The first explanation loads it, into the memory that
// the model for completion leaves free. It is unloaded when nobody has used it for a while.
import { refusalBeside } from '../models/estimate.ts';
import type { Model } from '../models/model-traits.ts';
import { errorText, type Log } from '../protocol/log.ts';
import { EngineHost, type LoadModel } from './engine-host.ts';
import type { explainOptions } from './load-options.ts';

/** The model is unloaded after this time without use. It is long enough to read an answer and ask about it. */
const idleMs = 5 * 60_000;

type Options = NonNullable<ReturnType<typeof explainOptions>>;

export class ExplanationModel {
  private readonly host: EngineHost;
  private cacheBytes = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    load: LoadModel,
    private readonly log: Log,
    onChange: () => void,
    completionModel: () => Model | null,
  ) {
    this.host = new EngineHost(load, log, onChange, (name, fileBytes, freeBytes) =>
      refusalBeside(name, fileBytes + this.cacheBytes, freeBytes, completionModel()?.engine.info ?? null),
    );
  }

  get model(): Model | null {
    return this.host.model;
  }

  /** Rejects with a message for the user. */
  async required(options: Options): Promise<Model> {
    this.restartClock();
    this.cacheBytes = options.cacheBytes;
    return this.host.required(options);
  }

  /** Call repeatedly while an answer is written or waits for its turn, so that the model stays loaded. */
  keep(): void {
    this.idleTimer?.refresh();
  }

  async unload(): Promise<void> {
    clearTimeout(this.idleTimer);
    await this.host.unload();
  }

  private restartClock(): void {
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.unloadIfIdle(), idleMs).unref();
  }

  private unloadIfIdle(): void {
    if (this.model?.engine.status().state !== 'idle') {
      this.restartClock();
      return;
    }
    this.log.info('unloading the model for explanations');
    this.unload().catch((error: unknown) => this.log.error(errorText(error)));
  }
}
