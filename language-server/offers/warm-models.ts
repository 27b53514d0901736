// Chooses between the model on the team's server and the local model. The server's model is preferred while the server
// answers. Each model has its own prompts, gate and warm cache, and each suggestion comes from one model alone.
import type { Completer, Engine, Timings } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { defaultLinesUp } from '../prompt/anchor.ts';
import { Anchors } from '../prompt/anchors.ts';
import { canFillInTheMiddle, tokenizeText } from '../prompt/fim-prompt.ts';
import { ReadAhead } from '../prompt/read-ahead.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { Settings } from '../protocol/messages.ts';
import type { RelatedCode } from '../related-code/related-code.ts';
import { holdsSecrets } from '../secrets/secrets.ts';
import { stricter } from '../shape/confidence.ts';
import { adaptedModel } from './adapted-model.ts';
import { type CompletionOptions, type GhostCompletion, generate } from './complete.ts';
import type { Maker, Purpose } from './document-offers.ts';
import { firstWithText } from './head-start.ts';

export interface Models {
  local: Engine;
  /** The path of the local model's adapter for completions. */
  adapter?: string;
  /** The model on the team's server; null while the server does not answer. Absent if there is no server. */
  remote?: () => Completer | null;
  /**
   * How long the server may take before the local model starts, too. If absent, it starts once the server has failed.
   */
  headStartMs?: () => number;
}

export class WarmModels {
  readonly local: Engine;
  private readonly warmLocal: WarmEngine;
  private warmRemote: WarmEngine | null = null;

  constructor(
    private readonly models: Models,
    private readonly makeWarm: (model: Completer) => WarmEngine,
  ) {
    this.local = models.local;
    this.warmLocal = makeWarm(adaptedModel(models.local, models.adapter));
  }

  /** The model for the next key. */
  get current(): WarmEngine {
    return this.remote ?? this.warmLocal;
  }

  /** Makes texts with the server's model, and with the local model if the server does not answer, fails or is slow. */
  maker(settings: Settings): Maker {
    return (document, purpose) => {
      const { remote, warmLocal, models } = this;
      const local = warmLocal.maker(settings)(document, purpose);
      if (remote === null) return local;
      // Nobody waits for text that is made ahead, so a slow server does not matter.
      const headStartMs = (purpose.kind === 'ahead' ? undefined : models.headStartMs?.()) ?? Number.POSITIVE_INFINITY;
      return firstWithText(remote.maker(settings)(document, purpose), local, headStartMs);
    };
  }

  forget(uri: string): void {
    for (const warm of this.all) warm.forget(uri);
  }

  withdraw(isRefused: (path: string) => boolean): void {
    for (const warm of this.all) warm.withdraw(isRefused);
  }

  stopReading(): void {
    for (const warm of this.all) warm.stopReading();
  }

  close(): void {
    for (const warm of this.all) warm.close();
  }

  /**
   * The server's model; null while the server does not answer. Meanwhile its state is kept: when the server answers
   * again, its cache may still have the prompts.
   */
  private get remote(): WarmEngine | null {
    const model = this.models.remote?.() ?? null;
    if (model === null || this.warmRemote?.engine === model) return model && this.warmRemote;
    this.warmRemote?.close();
    this.warmRemote = this.makeWarm(model);
    return this.warmRemote;
  }

  private get all(): WarmEngine[] {
    return this.warmRemote ? [this.warmLocal, this.warmRemote] : [this.warmLocal];
  }
}

/** How many alternatives an explicit request offers. */
const maxAlternatives = 3;

/**
 * A model with the state that keeps its cache warm: anchors, prompts evaluated ahead, and documents that the user has
 * left. The state contains token ids, so no other model can use it.
 */
export class WarmEngine {
  private readonly readAhead: ReadAhead;
  private readonly leftDocuments: LeftDocuments;

  constructor(
    readonly engine: Completer,
    private readonly onMade?: (made: GhostCompletion, by: Completer) => void,
    related?: RelatedCode,
    private readonly anchors = new Anchors(engine, defaultLinesUp, related?.placeOf),
  ) {
    this.readAhead = new ReadAhead(engine, anchors, related);
    this.leftDocuments = new LeftDocuments(engine);
  }

  get canComplete(): boolean {
    return canFillInTheMiddle(this.engine);
  }

  maker(settings: Settings): Maker {
    return (document, purpose) => async (onGrowth, signal) => {
      const options = optionsFor(purpose, settings);
      const made = await generate(this.engine, this.anchors, document, options, onGrowth, signal);
      if (purpose.kind !== 'ahead') this.onMade?.(made, this.engine);
      return made;
    };
  }

  /** Call after each key. Evaluates the prompt of the next anchor if one is due. */
  follow(open: OpenDocument, document: CursorDocument): void {
    void this.readAhead.prepareNextAnchor(document);
    this.leftDocuments.visit(open);
  }

  /** Call when the cursor rests. Evaluates the prompt there; null if that was aborted. */
  rest(document: CursorDocument): Promise<Timings | null> {
    return this.readAhead.aroundCursor(document);
  }

  forget(uri: string): void {
    this.readAhead.cancel(uri);
    this.leftDocuments.forget(uri);
    this.anchors.forget(uri);
  }

  /** Call when code from some files must no longer be in prompts. */
  withdraw(isRefused: (path: string) => boolean): void {
    this.anchors.withdraw(isRefused);
  }

  stopReading(): void {
    this.readAhead.cancelAll();
  }

  /** Stops all work and frees what the engine keeps for these documents. */
  close(): void {
    this.stopReading();
    this.anchors.forgetAll();
  }
}

export function optionsFor({ kind, isCareful }: Purpose, settings: Settings): CompletionOptions {
  const confidence = settings['completion.confidence'];
  const options: CompletionOptions = {
    maxTokens: settings['completion.maxTokens'],
    multiline: settings['completion.multiline'],
    confidence: isCareful ? stricter(confidence) : confidence,
  };
  if (kind === 'ahead') return { ...options, priority: 'background' };
  // An explicit request also shows less likely texts.
  return kind === 'choices' ? { ...options, alternatives: maxAlternatives, confidence: 'eager' } : options;
}

// About 14,000 tokens; the engine keeps two to four documents of this size.
const maxChars = 50_000;
// Longer documents are mostly generated, and searching them for secrets would take too long.
const maxSearchedChars = 200_000;

/**
 * Gives the engine the text of documents that the user has left, as a source of drafts for speculative decoding: the
 * same words often have the same continuation in another file. For one engine.
 */
class LeftDocuments {
  private current: OpenDocument | null = null;
  /** The learned version of each document. */
  private readonly learned = new Map<string, number>();

  constructor(private readonly engine: Completer) {}

  /** Call with the document that the user is editing. */
  visit(document: OpenDocument): void {
    const left = this.current;
    this.current = document;
    if (left === null || left.uri === document.uri || this.learned.get(left.uri) === left.version) return;
    this.learned.set(left.uri, left.version);
    if (left.text.length > maxSearchedChars || holdsSecrets(left.uri, left.text)) return;
    void this.learn(left.text.slice(0, maxChars));
  }

  /** Call when a document is closed. Its text is then no longer learned. */
  forget(uri: string): void {
    this.learned.delete(uri);
    if (this.current?.uri === uri) this.current = null;
  }

  /** Errors are ignored: drafts only save time, and a broken engine fails at the next request anyway. */
  private async learn(text: string): Promise<void> {
    try {
      await this.engine.learn?.(tokenizeText(this.engine, text));
    } catch {}
  }
}
