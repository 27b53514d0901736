// Answers inline completion requests. It refuses documents that must not be completed, waits for the models, and takes
// the text from the document's offers.
import { isDeepStrictEqual } from 'node:util';
import {
  type InlineCompletionContext,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { Completer, Timings } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import { type GrownParams, type Mode, noTimings, type Settings, type VersionedPosition } from '../protocol/messages.ts';
import { isMessage, type Reason } from '../protocol/reasons.ts';
import type { RelatedCode } from '../related-code/related-code.ts';
import { isWithheld } from '../secrets/secrets.ts';
import type { Suggestion } from '../shape/shape.ts';
import type { GhostCompletion } from './complete.ts';
import { DocumentOffers, defaultPace, endOf, type FoundText } from './document-offers.ts';
import { type Models, WarmEngine, WarmModels } from './warm-models.ts';

interface DocumentPosition {
  document: OpenDocument;
  position: Position;
  /** The document's own mode. If absent, the mode of the settings applies. */
  mode?: Mode | undefined;
}

export interface InlineRequest extends DocumentPosition {
  context: InlineCompletionContext;
}

export interface Answer {
  items: InlineCompletionItem[];
  reason: Reason;
  /** The engine's work for this request; all zero if there was none, or if it is not finished. */
  timings: Timings;
}

export interface ProviderOptions {
  /** Called when a new request would return more text. If absent, answers wait for the whole text. */
  onGrown?: (grown: GrownParams) => void;
  /** Called when a model has finished the text for a request, or was cancelled before that. */
  onMade?: (made: GhostCompletion, by: Completer) => void;
  /** Finds code from other files for prompts. If absent, prompts contain none. */
  related?: RelatedCode;
}

export interface ModelSource {
  /** Resolves to the models once the local model is loaded; null if it cannot be loaded. */
  ready(): Promise<Models | null>;
  isLoading(): boolean;
}

/** The place that a request asks to complete. It differs from the cursor's while the suggest widget is open. */
interface AskedPlace {
  document: CursorDocument;
  /** The selected entry of the suggest widget, which the ghost text must begin with; often ''. */
  selected: string;
  /** The range that the item replaces. A suggestion may extend its end (`replaces`). */
  range: Range;
}

export class CompletionProvider {
  private readonly documents = new Map<string, DocumentOffers>();
  private warm: WarmModels | null = null;
  /** The settings of the last request. */
  private settings: Settings | null = null;

  constructor(
    protected readonly options: ProviderOptions = {},
    private readonly pace = defaultPace,
  ) {}

  /**
   * Answers a request. Rejects with the engine's errors. settingsNow: called twice, because the settings may change
   * while the request waits for the models.
   */
  async provide(
    request: InlineRequest,
    source: ModelSource,
    settingsNow: () => Settings,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    const { document, position, context } = request;
    const { uri, version } = document;
    const offers = this.offersOf(uri);
    const demand = offers.supersede(signal);
    const isInvoked = context.triggerKind === InlineCompletionTriggerKind.Invoked;
    const before = settingsNow();
    const refusal = refusalOf(request, before, isInvoked);
    if (refusal !== null) return this.refused(offers, refusal);
    if (!isInvoked && offers.wasDismissed({ version, position })) return nothing('dismissed');
    const models = await Promise.race([source.ready(), endOf(demand)]);
    if (models === undefined) return nothing(source.isLoading() ? 'still-loading' : 'superseded');
    if (demand.aborted || document.version !== version) return nothing('superseded');
    if (models === null) return nothing('no-model');
    const settings = settingsNow();
    const laterRefusal = settings === before ? null : refusalOf(request, settings, isInvoked);
    if (laterRefusal !== null) return this.refused(offers, laterRefusal);
    // Texts that were generated with other settings must not be shown.
    if (!isDeepStrictEqual(settings, this.settings)) this.abortOffers();
    this.settings = settings;
    const warm = this.warmFor(models);
    if (!warm.current.canComplete) return nothing('model-cannot-fill-in');

    const asked = askedPlace(request);
    // The shown text is the first of the alternatives, so it must be complete.
    if (isInvoked) await offers.settled(asked.document, demand);
    if (demand.aborted) return nothing('superseded');
    const { onGrown } = this.options;
    const text = {
      document: asked.document,
      line: position.line,
      make: warm.maker(settings),
      isInvoked,
      onGrown: onGrown && (() => onGrown({ uri, version, position })),
    };
    const waiting = offers.textAt(text, demand);
    // Not after the answer: the next key may cancel this request, and the next anchor must be prepared all the same.
    warm.current.follow(document, asked.document);
    const found = await waiting;
    return found === null ? nothing('superseded') : answerOf(found, asked);
  }

  /**
   * Call when the cursor rests. Evaluates the prompt there before a request needs it; null if nothing was evaluated.
   */
  async rest(request: DocumentPosition, models: Models | null, settings: Settings): Promise<Timings | null> {
    // A prompt for the cursor's last place is no longer needed.
    this.warm?.stopReading();
    if (models === null || refusalOf(request, settings, false) !== null) return null;
    const { current } = this.warmFor(models);
    if (!current.canComplete) return null;
    const { uri, languageId, text } = request.document;
    const offset = request.document.offsetAt(request.position);
    return current.rest({ uri, languageId, text, offset });
  }

  /** Call when the cursor has moved away from its suggestion or the user has dismissed it. */
  leave(uri: string, dismissed?: VersionedPosition): void {
    this.documents.get(uri)?.leave(dismissed);
  }

  forget(uri: string): void {
    this.documents.get(uri)?.leave();
    this.documents.delete(uri);
    this.options.related?.forget(uri);
    this.warm?.forget(uri);
  }

  /** Call when code from these files and folders must no longer be in prompts. */
  withdraw(uris: readonly string[] | 'all'): void {
    const paths = uris === 'all' ? 'all' : uris.map((uri) => this.options.related?.placeOf(uri, '').path);
    const isRefused = (path: string) =>
      paths === 'all' || paths.some((withdrawn) => path === withdrawn || path.startsWith(`${withdrawn}/`));
    this.options.related?.askAnew();
    this.warm?.withdraw(isRefused);
  }

  cancelAll(): void {
    for (const offers of this.documents.values()) offers.leave();
    this.warm?.stopReading();
  }

  /** Call when the window has closed. */
  close(): void {
    this.cancelAll();
    this.warm?.close();
  }

  private offersOf(uri: string): DocumentOffers {
    const offers = this.documents.get(uri) ?? new DocumentOffers(this.pace);
    this.documents.set(uri, offers);
    return offers;
  }

  private warmFor(models: Models): WarmModels {
    if (this.warm?.local === models.local) return this.warm;
    this.abortOffers();
    this.warm?.close();
    this.warm = new WarmModels(models, (model) => this.newWarmEngine(model));
    return this.warm;
  }

  /** The answer to a refused request. An offer that is still growing is released. */
  private refused(offers: DocumentOffers, reason: Reason): Answer {
    offers.release();
    return nothing(reason);
  }

  private abortOffers(): void {
    for (const offers of this.documents.values()) offers.abort();
  }

  protected newWarmEngine(engine: Completer): WarmEngine {
    return new WarmEngine(engine, this.options.onMade, this.options.related);
  }
}

/** The reason why a request must not be answered with text; null if it may. */
function refusalOf({ document, mode }: DocumentPosition, settings: Settings, isInvoked: boolean): Reason | null {
  const wanted = mode ?? settings.mode;
  if (wanted === 'off') return 'off';
  if (wanted === 'manual' && !isInvoked) return 'manual';
  if (isMessage(document.languageId)) return 'message';
  // A team's server or the disk cache would carry a secret out of this process.
  const staysInMemory = settings['server.url'] === '' && settings['cache.diskMiB'] === 0;
  return isWithheld(document.uri, document.text, staysInMemory) ? 'secrets-file' : null;
}

/**
 * While the suggest widget is open, the place is in the document as it would be after its selected entry is accepted.
 */
function askedPlace({ document, position, context }: InlineRequest): AskedPlace {
  const { uri, languageId, text } = document;
  const info = context.selectedCompletionInfo;
  if (!info) {
    const offset = document.offsetAt(position);
    return { document: { uri, languageId, text, offset }, selected: '', range: { start: position, end: position } };
  }
  const start = document.offsetAt(info.range.start);
  const accepted = text.with(start, document.offsetAt(info.range.end), info.text);
  const offset = start + info.text.length;
  return { document: { uri, languageId, text: accepted, offset }, selected: info.text, range: info.range };
}

function answerOf({ suggestions, result, isNew }: FoundText, asked: AskedPlace): Answer {
  const items = suggestions.map((suggestion) => toItem(asked, suggestion));
  const timings = isNew ? (result?.timings ?? noTimings) : noTimings;
  if (items.length === 0) return { items, reason: result?.reason ?? 'superseded', timings };
  if (result === null) return { items, reason: 'still-growing', timings };
  return { items, reason: isNew ? 'shown' : 'typed-along', timings };
}

/**
 * The item has line feeds only: editors insert the document's own line breaks, but Neovim would keep carriage returns.
 */
function toItem({ selected, range }: AskedPlace, { text, replaces }: Suggestion): InlineCompletionItem {
  const end = { line: range.end.line, character: range.end.character + replaces };
  return { insertText: selected + text.replaceAll('\r\n', '\n'), range: { start: range.start, end } };
}

function nothing(reason: Reason): Answer {
  return { items: [], reason, timings: noTimings };
}
