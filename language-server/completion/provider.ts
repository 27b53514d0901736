// From a request to ghost text: refuses what must not be completed, waits for the engine, and asks the offers of the
// document for text.
import {
  type InlineCompletionContext,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { Engine, Timings } from '../../native/index.ts';
import type { RelatedCode } from '../context/related-code.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { GrownParams, Mode, Reason, Settings, VersionedPosition } from '../protocol.ts';
import { type GhostCompletion, noTimings } from './complete.ts';
import { DocumentOffers, defaultPace, type Found } from './document-offers.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { hasSecret, hasSecretName } from './secrets.ts';
import type { Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';
import { WarmEngine } from './warm-engine.ts';

/** A place, and the mode that the user has set for its document; without one, the setting for all documents holds. */
interface Addressed {
  document: OpenDocument;
  position: Position;
  mode?: Mode | undefined;
}

export interface CompletionRequest extends Addressed {
  context: InlineCompletionContext;
}

export interface Answer {
  items: InlineCompletionItem[];
  reason: Reason;
  /** Of the engine's work for this very request; all zero if there was none, or if it is still going on. */
  timings: Timings;
}

export interface ProviderOptions {
  /** Asking again at this place brings more text than the last answer had. Absent: answers wait for the whole text. */
  onGrown?: (grown: GrownParams) => void;
  /** The engine has done its work for an offer. */
  onMade?: (made: GhostCompletion) => void;
  /** The window's. Absent: no code of other files enters a prompt. */
  related?: RelatedCode;
}

/** Where a request wants text. */
interface RequestedPlace {
  document: CursorDocument;
  /** The selected entry of the suggest widget, with which the ghost text must begin. */
  selected: string;
  /** What the item takes the place of, before the suggestion's own `replaces`. */
  range: Range;
}

export class CompletionProvider {
  private readonly documents = new Map<string, DocumentOffers>();
  private warm: WarmEngine | null = null;

  constructor(
    protected readonly options: ProviderOptions = {},
    private readonly pace = defaultPace,
  ) {}

  /** ready: the engine once it is loaded, or null if it cannot be loaded. Rejects with what the engine throws. */
  async provide(
    request: CompletionRequest,
    ready: () => Promise<Engine | null>,
    settings: Settings,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    const { document, position, context } = request;
    const { uri, version } = document;
    const offers = this.offersOf(uri);
    const turn = offers.nextTurn({ version, position }, signal);
    const isInvoked = context.triggerKind === InlineCompletionTriggerKind.Invoked;
    const refusal = refusalOf(request, settings, isInvoked);
    if (refusal !== null) return nothing(refusal);
    if (!isInvoked && turn.wasDismissed) return nothing('dismissed');
    const engine = await Promise.race([ready(), turn.cancelled]);
    if (engine === undefined) return nothing('still-loading');
    if (!turn.isWanted() || document.version !== version) return nothing('superseded');
    if (engine === null) return nothing('no-model');
    if (!canFillInTheMiddle(engine)) return nothing('model-cannot-fill-in');

    const at = requestedPlace(request);
    const warm = this.warmFor(engine);
    // The choices include the text that is shown, and all of it.
    if (isInvoked) await offers.settled(at.document, turn);
    if (!turn.isWanted()) return nothing('superseded');
    const { onGrown } = this.options;
    const waiting = offers.textAt(at.document, turn, {
      make: warm.maker(settings),
      isInvoked,
      onGrown: onGrown && (() => onGrown({ uri, version, position })),
    });
    // Even if the next key is about to cancel this request.
    warm.follow(document, at.document);
    const found = await waiting;
    return found === null ? nothing('superseded') : answerOf(found, at);
  }

  /** The cursor rests here, or has come to this document. Resolves to what was read; to null if nothing was. */
  async rest(request: Addressed, engine: Engine | null, settings: Settings): Promise<Timings | null> {
    // There is one cursor: the place that it left is no longer of interest.
    this.warm?.stopReading();
    if (engine === null || refusalOf(request, settings, false) !== null || !canFillInTheMiddle(engine)) return null;
    const { uri, languageId, text } = request.document;
    const offset = request.document.offsetAt(request.position);
    return this.warmFor(engine).rest({ uri, languageId, text, offset });
  }

  /** The cursor has left the place of its offer, or the user has dismissed the text there. */
  leave(uri: string, dismissed?: VersionedPosition): void {
    this.documents.get(uri)?.leave(dismissed);
  }

  forget(uri: string): void {
    this.documents.get(uri)?.leave();
    this.documents.delete(uri);
    this.warm?.forget(uri);
  }

  cancelAll(): void {
    for (const offers of this.documents.values()) offers.leave();
    this.warm?.stopReading();
  }

  private offersOf(uri: string): DocumentOffers {
    const offers = this.documents.get(uri) ?? new DocumentOffers(this.pace);
    this.documents.set(uri, offers);
    return offers;
  }

  private warmFor(engine: Engine): WarmEngine {
    if (this.warm?.engine === engine) return this.warm;
    for (const offers of this.documents.values()) offers.abort();
    this.warm?.stopReading();
    this.warm = this.newWarmEngine(engine);
    return this.warm;
  }

  protected newWarmEngine(engine: Engine): WarmEngine {
    return new WarmEngine(engine, this.options.onMade, this.options.related);
  }
}

/** Why there must be no completion, whatever the engine could write; null if there may be one. */
function refusalOf({ document, mode }: Addressed, settings: Settings, isInvoked: boolean): Reason | null {
  const wanted = mode ?? settings.mode;
  if (wanted === 'off') return 'off';
  if (wanted === 'manual' && !isInvoked) return 'manual';
  // On its way to a team's server or to the disk cache, text that contains a secret would outlive this process.
  const staysInMemory = settings['server.url'] === '' && settings['cache.diskMiB'] === 0;
  return hasSecretName(document.uri) || (!staysInMemory && hasSecret(document.text)) ? 'secrets-file' : null;
}

/** With the suggest widget open, the document is completed as if its selected entry had been accepted. */
function requestedPlace({ document, position, context }: CompletionRequest): RequestedPlace {
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

function answerOf({ suggestions, result, isOwn }: Found, at: RequestedPlace): Answer {
  const items = suggestions.map((suggestion) => toItem(at, suggestion));
  const timings = isOwn ? (result?.timings ?? noTimings) : noTimings;
  if (items.length === 0) return { items, reason: result?.reason ?? 'superseded', timings };
  if (result === null) return { items, reason: 'still-growing', timings };
  return { items, reason: isOwn ? 'shown' : 'typed-along', timings };
}

function toItem({ selected, range }: RequestedPlace, { text, replaces }: Suggestion): InlineCompletionItem {
  const end = { line: range.end.line, character: range.end.character + replaces };
  return { insertText: selected + text, range: { start: range.start, end } };
}

function nothing(reason: Reason): Answer {
  return { items: [], reason, timings: noTimings };
}
