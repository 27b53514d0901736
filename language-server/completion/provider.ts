// From an LSP request to ghost text: what must not be completed, what is already known, and what the engine is asked.
import {
  type InlineCompletionContext,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Engine, FinishReason, Timings } from '../../native/index.ts';
import type { Settings } from '../protocol.ts';
import { Anchors } from './anchor.ts';
import { type CompletionOptions, complete, type GhostCompletion, noTimings, unlike } from './complete.ts';
import { InferenceQueue } from './inference-queue.ts';
import { LastCompletion } from './last-completion.ts';
import { accepted, Prefetch, takeOver } from './prefetch.ts';
import { requestedPlace } from './requested-place.ts';
import { holdsSecrets } from './secrets.ts';
import type { CursorDocument } from './text-window.ts';

export type NoCompletionReason =
  | NonNullable<GhostCompletion['reason']>
  | 'disabled'
  | 'disabled-language'
  | 'secrets-file'
  | 'no-engine';

export interface Answer {
  items: InlineCompletionItem[];
  reason: NoCompletionReason | null;
  finishReason: FinishReason;
  /** All zero when the engine was not asked. */
  timings: Timings;
}

/** Texts that an explicit request may choose from. */
const maxAlternatives = 3;

export interface Listening {
  signal?: AbortSignal;
  /** Gets the beginning of the answer as soon as it can be shown. */
  onFirstItem?: (item: InlineCompletionItem) => void;
}

export class CompletionProvider {
  private readonly queue = new InferenceQueue();
  private readonly ahead = new InferenceQueue();
  private readonly last = new LastCompletion();
  private readonly prefetch: Prefetch;
  private anchors: { engine: Engine; anchors: Anchors } | null = null;

  /** restMs: how long an answer is left alone before what follows it is made. */
  constructor(restMs?: number) {
    this.prefetch = new Prefetch(restMs);
  }

  async provide(
    document: TextDocument,
    position: Position,
    context: InlineCompletionContext,
    engine: Engine | null,
    settings: Settings,
    { signal, onFirstItem }: Listening = {},
  ): Promise<Answer> {
    // A request supersedes the one before it even if it is answered without the engine.
    this.queue.cancel(document.uri);
    const refusal = refusalFor(document, settings) ?? (engine ? null : 'no-engine');
    if (refusal !== null || engine === null) return nothing(refusal ?? 'no-engine');

    const at = requestedPlace(document, position, context);
    const toItem = (text: string): InlineCompletionItem => ({
      insertText: at.selected + text,
      range: { start: at.rangeStart, end: at.rangeEnd },
    });
    const options = { maxTokens: settings['completion.maxTokens'], multiline: settings['completion.multiline'] };
    const isInvoked = context.triggerKind === InlineCompletionTriggerKind.Invoked;
    const known = this.last.remainder(at.document);
    if (known !== null && !isInvoked) {
      this.workAhead(engine, at.document, known, options);
      return { items: [toItem(known)], reason: null, finishReason: 'stop', timings: noTimings };
    }

    const onFirstText = onFirstItem && ((text: string) => onFirstItem(toItem(text)));
    const result = await this.queue.run(
      document.uri,
      (superseded) =>
        isInvoked
          ? this.generate(engine, at.document, { ...options, alternatives: maxAlternatives }, superseded, onFirstText)
          : this.complete(engine, at.document, options, superseded, onFirstText),
      signal,
    );
    const { reason, finishReason, timings } = result;
    if (reason === 'cancelled') return { items: [], reason, finishReason, timings };
    const made = [...(result.text === null ? [] : [result.text]), ...result.alternatives];
    const [first = null, ...others] = known === null ? made : [known, ...unlike(known, made)];
    this.workAhead(engine, at.document, first, options);
    if (first === null) return { items: [], reason, finishReason, timings };
    const texts = [first, ...others].slice(0, maxAlternatives).map((text) => withLineEndsOf(at.document, text));
    this.last.remember(at.document, ...texts);
    return { items: texts.map(toItem), reason: null, finishReason, timings };
  }

  forget(uri: string): void {
    this.queue.cancel(uri);
    this.ahead.cancel(uri);
    this.prefetch.cancel(uri);
    this.last.forget(uri);
    this.anchors?.anchors.forget(uri);
  }

  cancelAll(): void {
    this.queue.cancelAll();
    this.ahead.cancelAll();
    this.prefetch.cancelAll();
  }

  /** By the engine, or what was made ahead for this very place. */
  private complete(
    engine: Engine,
    document: CursorDocument,
    options: CompletionOptions,
    signal: AbortSignal,
    onFirstText?: (text: string) => void,
  ): Promise<GhostCompletion> {
    const ahead = this.prefetch.find(document);
    if (ahead) return takeOver(ahead, signal, onFirstText);
    this.prefetch.cancel(document.uri);
    return this.generate(engine, document, options, signal, onFirstText);
  }

  private generate(
    engine: Engine,
    document: CursorDocument,
    options: CompletionOptions,
    signal: AbortSignal,
    onFirstText?: (text: string) => void,
  ): Promise<GhostCompletion> {
    return complete(engine, this.anchorsOf(engine), document, options, signal, onFirstText);
  }

  /** While the user reads or types: the next anchor, and what follows the shown text. */
  private workAhead(engine: Engine, document: CursorDocument, text: string | null, options: CompletionOptions): void {
    void this.evaluateAhead(engine, document);
    if (text === null) return;
    const next = accepted(document, withLineEndsOf(document, text));
    const inBackground = { ...options, priority: 'background' as const };
    void this.prefetch.start(next, (place, signal, onFirstText) =>
      this.generate(engine, place, inBackground, signal, onFirstText),
    );
  }

  /** Evaluates the document's next anchor while the user reads or types, so that the change to it costs no wait. */
  private async evaluateAhead(engine: Engine, document: CursorDocument): Promise<void> {
    if (this.ahead.isRunning(document.uri)) return;
    const next = this.anchorsOf(engine).upcoming(document);
    if (!next) return;
    await this.ahead
      .run(document.uri, async (signal) => {
        await engine.prefill(next.tokens, 'background', signal);
        if (!signal.aborted) next.adopt();
      })
      // Work ahead only saves time: what is wrong with the engine shows at the next request.
      .catch(() => {});
  }

  // Anchors hold token ids, so they live no longer than their engine; nor does what it made ahead.
  private anchorsOf(engine: Engine): Anchors {
    if (this.anchors?.engine !== engine) {
      this.prefetch.cancelAll();
      this.anchors = { engine, anchors: new Anchors(engine) };
    }
    return this.anchors.anchors;
  }
}

// The editor writes line breaks its own way; text that is to be found again in the document must have them too.
function withLineEndsOf({ text }: CursorDocument, ghostText: string): string {
  return text.charAt(text.indexOf('\n') - 1) === '\r' ? ghostText.replace(/\r?\n/g, '\r\n') : ghostText;
}

function nothing(reason: NoCompletionReason): Answer {
  return { items: [], reason, finishReason: 'stop', timings: noTimings };
}

function refusalFor(document: TextDocument, settings: Settings): NoCompletionReason | null {
  if (!settings.enabled) return 'disabled';
  if (settings.disabledLanguages.includes(document.languageId)) return 'disabled-language';
  return holdsSecrets(document.uri) ? 'secrets-file' : null;
}
