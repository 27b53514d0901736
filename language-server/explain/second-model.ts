// The model for explanations, where it is another one than for completion: loaded when somebody asks for it, into the
// memory that the first one leaves, and unloaded when nobody has asked for a while.
import { EngineHost, type LoadModel } from '../engine-host.ts';
import type { explainOptions } from '../load-options.ts';
import { errorText, type Log } from '../log.ts';
import { refusalBeside } from '../models/estimate.ts';
import type { Model } from '../models/model-traits.ts';

/** Long enough to read an answer and to ask about it. */
const idleMs = 5 * 60_000;

type Options = NonNullable<ReturnType<typeof explainOptions>>;

export class SecondModel {
  private readonly host: EngineHost;
  private cacheBytes = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    load: LoadModel,
    private readonly log: Log,
    onChange: () => void,
    first: () => Model | null,
  ) {
    this.host = new EngineHost(load, log, onChange, (name, fileBytes, freeBytes) =>
      refusalBeside(name, fileBytes + this.cacheBytes, freeBytes, first()?.engine.info ?? null),
    );
  }

  get model(): Model | null {
    return this.host.model;
  }

  /** Rejects with a sentence for people. */
  async required(options: Options): Promise<Model> {
    this.restartClock();
    this.cacheBytes = options.cacheBytes;
    return this.host.required(options);
  }

  async unload(): Promise<void> {
    clearTimeout(this.idleTimer);
    await this.host.unload();
  }

  private restartClock(): void {
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.rest(), idleMs).unref();
  }

  private rest(): void {
    if (this.model?.engine.status().state !== 'idle') {
      this.restartClock();
      return;
    }
    this.log.info('unloading the model for explanations');
    this.unload().catch((error: unknown) => this.log.error(errorText(error)));
  }
}
