// The models that complete: the one on the team's server, if there is one and while it answers, and otherwise the local
// one. Each has its own prompts and its own gate, and a suggestion comes from one of them alone.
import type { Completer, Engine, Timings } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { noTimings, type Settings } from '../protocol/messages.ts';
import type { Suggestion } from '../rules/suggestion.ts';
import type { Generation, GhostCompletion } from './complete.ts';
import type { Purpose } from './document-offers.ts';
import type { WarmEngine } from './warm-engine.ts';

export interface Models {
  local: Engine;
  /** The model on the team's server; null while the server is away. Absent if there is no server. */
  remote?: () => Completer | null;
}

export class WarmModels {
  readonly local: Engine;
  private readonly warmLocal: WarmEngine;
  private kept: WarmEngine | null = null;

  constructor(
    private readonly models: Models,
    private readonly warm: (model: Completer) => WarmEngine,
  ) {
    this.local = models.local;
    this.warmLocal = warm(models.local);
  }

  get canComplete(): boolean {
    return this.current.canComplete;
  }

  /** Generates the text of an offer. If the server fails before anything of its text was shown, the local model does. */
  async *generate(document: CursorDocument, purpose: Purpose, settings: Settings, signal: AbortSignal): Generation {
    const { remote } = this;
    if (remote === null) return yield* this.warmLocal.generate(document, purpose, settings, signal);
    let shown: Suggestion | undefined;
    try {
      const generation = remote.generate(document, purpose, settings, signal);
      let step = await generation.next();
      for (; !step.done; step = await generation.next()) {
        shown = step.value;
        yield shown;
      }
      return step.value;
    } catch (error) {
      if (signal.aborted) throw error;
    }
    if (shown) return brokenOff(shown);
    return yield* this.warmLocal.generate(document, purpose, settings, signal);
  }

  /** Call after each key. */
  follow(open: OpenDocument, document: CursorDocument): void {
    this.current.follow(open, document);
  }

  /** Call when the cursor rests. */
  rest(document: CursorDocument): Promise<Timings | null> {
    return this.current.rest(document);
  }

  forget(uri: string): void {
    for (const each of this.all) each.forget(uri);
  }

  stopReading(): void {
    for (const each of this.all) each.stopReading();
  }

  close(): void {
    for (const each of this.all) each.close();
  }

  private get current(): WarmEngine {
    return this.remote ?? this.warmLocal;
  }

  /** While the server is away, its prompts are kept: it may still have them in its cache when it is back. */
  private get remote(): WarmEngine | null {
    const model = this.models.remote?.() ?? null;
    if (model === null || this.kept?.engine === model) return model && this.kept;
    this.kept?.close();
    this.kept = this.warm(model);
    return this.kept;
  }

  private get all(): WarmEngine[] {
    return this.kept ? [this.warmLocal, this.kept] : [this.warmLocal];
  }
}

/** What is shown already stays, without the rest. */
function brokenOff(shown: Suggestion): GhostCompletion {
  return { suggestions: [shown], reason: null, finishReason: 'length', timings: noTimings };
}
