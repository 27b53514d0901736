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
import { Anchors } from './anchors.ts';
import { type CompletionOptions, complete, type GhostCompletion, noTimings, unlike } from './complete.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { InferenceQueue } from './inference-queue.ts';
import { LastCompletion } from './last-completion.ts';
import { LeftDocuments } from './left-documents.ts';
import { accepted, Prefetch, takeOver } from './prefetch.ts';
import { ReadAhead } from './read-ahead.ts';
import { requestedPlace } from './requested-place.ts';
import { holdsSecrets } from './secrets.ts';
import type { Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';

export type NoCompletionReason =
  | NonNullable<GhostCompletion['reason']>
  | 'disabled'
  | 'disabled-language'
  | 'secrets-file'
  | 'no-engine';

export interface Answer {
  items: InlineCompletionItem[];
  /** Why there are no items, or not all of the text. */
  reason: NoCompletionReason | 'not-whole-yet' | null;
  finishReason: FinishReason;
  /** All zero when the engine was not asked. */
  timings: Timings;
}

/** Texts that an explicit request may choose from. */
const maxAlternatives = 3;

export interface Listening {
  signal?: AbortSignal;
  /** Gets what can be shown of the answer so far, each time that it has grown. */
  onItem?: (item: InlineCompletionItem) => void;
}

/** Anchors hold token ids, so they live no longer than their engine. */
interface Warm {
  engine: Engine;
  anchors: Anchors;
  readAhead: ReadAhead;
  leftDocuments: LeftDocuments;
}

export class CompletionProvider {
  private readonly queue = new InferenceQueue();
  private readonly last = new LastCompletion();
  private readonly prefetch: Prefetch;
  private warm: Warm | null = null;

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
    { signal, onItem }: Listening = {},
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
      this.follow(engine, document, at.document);
      this.makeAhead(engine, at.document, known, options);
      return { items: [toItem(known)], reason: null, finishReason: 'stop', timings: noTimings };
    }

    const onText = onItem && (({ text }: Suggestion) => onItem(toItem(text)));
    const answer = this.queue.run(
      document.uri,
      (superseded) =>
        isInvoked
          ? this.generate(engine, at.document, { ...options, alternatives: maxAlternatives }, superseded, onText)
          : this.complete(engine, at.document, options, superseded, onText),
      signal,
    );
    // Also beside a request that the next key will cancel.
    this.follow(engine, document, at.document);
    const result = await answer;
    const { reason, finishReason, timings } = result;
    if (reason === 'cancelled') return { items: [], reason, finishReason, timings };
    const made = result.suggestions.map(({ text }) => text);
    const [first = null, ...others] = known === null ? made : [known, ...unlike(known, made)];
    if (first === null) return { items: [], reason, finishReason, timings };
    this.makeAhead(engine, at.document, first, options);
    const texts = [first, ...others].slice(0, maxAlternatives).map((text) => withLineEndsOf(at.document, text));
    this.last.remember(at.document, ...texts);
    return { items: texts.map(toItem), reason: null, finishReason, timings };
  }

  /**
   * The cursor rests in a document, or has come to it: what a request there needs is read. Resolves when it is; to null
   * if there is nothing to read or something newer came.
   */
  async rest(
    document: TextDocument,
    position: Position,
    engine: Engine | null,
    settings: Settings,
  ): Promise<Timings | null> {
    if (!engine) return null;
    const { readAhead } = this.warmFor(engine);
    // There is one cursor: the place that it left is no longer of interest.
    readAhead.cancelAll();
    if (refusalFor(document, settings) !== null || !canFillInTheMiddle(engine)) return null;
    const { uri, languageId } = document;
    return readAhead.aroundCursor({ uri, languageId, text: document.getText(), offset: document.offsetAt(position) });
  }

  forget(uri: string): void {
    this.queue.cancel(uri);
    this.prefetch.cancel(uri);
    this.last.forget(uri);
    this.warm?.readAhead.cancel(uri);
    this.warm?.leftDocuments.forget(uri);
    this.warm?.anchors.forget(uri);
  }

  cancelAll(): void {
    this.queue.cancelAll();
    this.warm?.readAhead.cancelAll();
    this.prefetch.cancelAll();
  }

  /** By the engine, or what was made ahead for this very place. */
  private complete(
    engine: Engine,
    document: CursorDocument,
    options: CompletionOptions,
    signal: AbortSignal,
    onText?: (suggestion: Suggestion) => void,
  ): Promise<GhostCompletion> {
    const ahead = this.prefetch.find(document);
    if (ahead) return takeOver(ahead, signal, onText);
    this.prefetch.cancel(document.uri);
    return this.generate(engine, document, options, signal, onText);
  }

  private generate(
    engine: Engine,
    document: CursorDocument,
    options: CompletionOptions,
    signal: AbortSignal,
    onText?: (suggestion: Suggestion) => void,
  ): Promise<GhostCompletion> {
    return complete(engine, this.warmFor(engine).anchors, document, options, signal, onText);
  }

  /** What is made of a key beside its answer. */
  private follow(engine: Engine, document: TextDocument, place: CursorDocument): void {
    const { readAhead, leftDocuments } = this.warmFor(engine);
    void readAhead.nextAnchor(place);
    leftDocuments.visit(document);
  }

  /** While the user reads: what follows the shown text if it is accepted. */
  private makeAhead(engine: Engine, document: CursorDocument, text: string, options: CompletionOptions): void {
    const next = accepted(document, withLineEndsOf(document, text));
    const inBackground = { ...options, priority: 'background' as const };
    void this.prefetch.start(next, (place, signal, onText) =>
      this.generate(engine, place, inBackground, signal, onText),
    );
  }

  private warmFor(engine: Engine): Warm {
    if (this.warm?.engine === engine) return this.warm;
    this.prefetch.cancelAll();
    this.warm?.readAhead.cancelAll();
    const anchors = new Anchors(engine);
    this.warm = {
      engine,
      anchors,
      readAhead: new ReadAhead(engine, anchors),
      leftDocuments: new LeftDocuments(engine),
    };
    return this.warm;
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
