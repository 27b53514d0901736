// From an LSP request to ghost text: what must not be completed, what is already known, and what the engine is asked.
import type { InlineCompletionContext, InlineCompletionItem, Position } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Engine, FinishReason, Timings } from '../../native/index.ts';
import type { Settings } from '../protocol.ts';
import { Anchors } from './anchor.ts';
import { complete, type GhostCompletion, noTimings } from './complete.ts';
import { InferenceQueue } from './inference-queue.ts';
import { LastCompletion } from './last-completion.ts';
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

export interface Listening {
  signal?: AbortSignal;
  /** Gets the beginning of the answer as soon as it can be shown; not called for an answer from memory. */
  onFirstItem?: (item: InlineCompletionItem) => void;
}

export class CompletionProvider {
  private readonly queue = new InferenceQueue();
  private readonly ahead = new InferenceQueue();
  private readonly last = new LastCompletion();
  private anchors: { engine: Engine; anchors: Anchors } | null = null;

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

    const at = cursorDocument(document, position, context);
    const toItem = (text: string): InlineCompletionItem => ({
      insertText: at.selected + text,
      range: { start: at.rangeStart, end: at.rangeEnd },
    });
    const known = this.last.remainder(at.document);
    if (known !== null) return { items: [toItem(known)], reason: null, finishReason: 'stop', timings: noTimings };

    const options = { maxTokens: settings['completion.maxTokens'], multiline: settings['completion.multiline'] };
    const onFirstText = onFirstItem && ((text: string) => onFirstItem(toItem(text)));
    const result = await this.queue.run(
      document.uri,
      (superseded) => complete(engine, this.anchorsOf(engine), at.document, options, superseded, onFirstText),
      signal,
    );
    if (result.reason !== 'cancelled') void this.evaluateAhead(engine, at.document);
    const { text, reason, finishReason, timings } = result;
    if (text === null) return { items: [], reason, finishReason, timings };
    this.last.remember(at.document, text);
    return { items: [toItem(text)], reason: null, finishReason, timings };
  }

  forget(uri: string): void {
    this.queue.cancel(uri);
    this.ahead.cancel(uri);
    this.last.forget(uri);
    this.anchors?.anchors.forget(uri);
  }

  cancelAll(): void {
    this.queue.cancelAll();
    this.ahead.cancelAll();
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

  // Anchors hold token ids, so they live no longer than their engine.
  private anchorsOf(engine: Engine): Anchors {
    if (this.anchors?.engine !== engine) this.anchors = { engine, anchors: new Anchors(engine) };
    return this.anchors.anchors;
  }
}

function nothing(reason: NoCompletionReason): Answer {
  return { items: [], reason, finishReason: 'stop', timings: noTimings };
}

function refusalFor(document: TextDocument, settings: Settings): NoCompletionReason | null {
  if (!settings.enabled) return 'disabled';
  if (settings.disabledLanguages.includes(document.languageId)) return 'disabled-language';
  return holdsSecrets(document.uri) ? 'secrets-file' : null;
}

interface CursorInDocument {
  document: CursorDocument;
  /** The selected entry of the suggest widget, with which the ghost text must begin. */
  selected: string;
  rangeStart: Position;
  rangeEnd: Position;
}

// With the suggest widget open, the document is completed as if its selected entry had been accepted.
function cursorDocument(
  document: TextDocument,
  position: Position,
  context: InlineCompletionContext,
): CursorInDocument {
  const { uri, languageId } = document;
  const text = document.getText();
  const info = context.selectedCompletionInfo;
  if (!info) {
    const offset = document.offsetAt(position);
    return { document: { uri, languageId, text, offset }, selected: '', rangeStart: position, rangeEnd: position };
  }
  const start = document.offsetAt(info.range.start);
  const accepted = text.slice(0, start) + info.text + text.slice(document.offsetAt(info.range.end));
  return {
    document: { uri, languageId, text: accepted, offset: start + info.text.length },
    selected: info.text,
    rangeStart: info.range.start,
    rangeEnd: info.range.end,
  };
}
