// From a request to ghost text: what must not be completed, which offer already has the text, and what the engine is
// asked otherwise.
import { once } from 'node:events';
import {
  type InlineCompletionContext,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  type Position,
} from 'vscode-languageserver/node';
import type { Engine, Timings } from '../../native/index.ts';
import type { RelatedCode } from '../context/related-code.ts';
import type { Reason, Settings } from '../protocol.ts';
import { type CompletionOptions, type GhostCompletion, noTimings } from './complete.ts';
import { DocumentOffers } from './document-offers.ts';
import { canFillInTheMiddle } from './fim-prompt.ts';
import { accepted, type Offer, withChoices } from './offer.ts';
import { type Addressed, refusalOf } from './refusal.ts';
import { type RequestedPlace, requestedPlace, toItem } from './requested-place.ts';
import { WarmEngine } from './warm-engine.ts';

export interface CompletionRequest extends Addressed {
  context: InlineCompletionContext;
}

export interface Answer {
  items: InlineCompletionItem[];
  reason: Reason;
  /** Of the engine's work for this very request; all zero if there was none, or if it goes on. */
  timings: Timings;
}

export interface Pace {
  /** An automatic request is answered with what there is after this time. Keys come every 120 to 200 ms. */
  momentMs: number;
  /** Shown text that has grown is announced this often. */
  growthMs: number;
  /** How long an answer is left alone before what follows it is made. */
  restMs: number;
  /** For so long may the next key adopt the offer of a cancelled request. Editors ask 35 to 50 ms after a key. */
  graceMs: number;
}

export const defaultPace: Pace = { momentMs: 90, growthMs: 300, restMs: 150, graceMs: 100 };

export interface ProviderEvents {
  /** Asking again at this place brings more text than the last answer had. Absent: answers wait for the whole text. */
  onGrown?: ((uri: string, version: number, position: Position) => void) | undefined;
  /** The engine has done its work for an offer. */
  onMade?: ((made: GhostCompletion) => void) | undefined;
}

/** Texts that an explicit request may choose from. */
const maxAlternatives = 3;

export class CompletionProvider {
  private readonly documents = new Map<string, DocumentOffers>();
  private warm: WarmEngine | null = null;

  constructor(
    protected readonly events: ProviderEvents = {},
    private readonly pace: Pace = defaultPace,
    /** The window's. Absent: no code of other files enters a prompt. */
    protected readonly related?: RelatedCode,
  ) {}

  /** ready: the engine once it is loaded, or null if there is none to be had. Rejects with what the engine throws. */
  async provide(
    request: CompletionRequest,
    ready: () => Promise<Engine | null>,
    settings: Settings,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    const { document, position, context } = request;
    const { version } = document;
    const offers = this.offersOf(document.uri);
    const isNewest = offers.nextTurn();
    const isInvoked = context.triggerKind === InlineCompletionTriggerKind.Invoked;
    const refusal = refusalOf(request, settings, isInvoked);
    if (refusal !== null) return nothing(refusal);
    if (!isInvoked && offers.wasDismissed(placeKey(document.version, position))) return nothing('dismissed');
    const cancelled = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => {});
    const engine = await Promise.race([ready(), cancelled]);
    if (engine === undefined) return nothing('still-loading');
    if (signal.aborted || !isNewest() || document.version !== version) return nothing('superseded');
    if (engine === null) return nothing('no-model');
    if (!canFillInTheMiddle(engine)) return nothing('model-cannot-fill-in');

    const at = requestedPlace(document, position, context);
    const warm = this.warmFor(engine);
    const known = offers.at(at.document);
    const make = warm.maker(at.document, optionsFrom(settings));
    if (isInvoked) {
      // All of what is shown is among the choices, whenever they are asked for.
      await Promise.race([known?.settled(), cancelled]);
      if (signal.aborted || !isNewest()) return nothing('superseded');
      const choices = warm.maker(at.document, choicesFrom(settings));
      offers.begin(at.document, withChoices(known, at.document, choices));
    }
    const momentMs = isInvoked || !this.events.onGrown ? null : this.pace.momentMs;
    const isWanted = () => isNewest() && !signal.aborted;
    const waiting = offers.textAt(at.document, make, { isWanted, cancelled, momentMs });
    // Also beside a request that the next key will cancel.
    warm.follow(document, at.document);
    void cancelled.then(() => isNewest() && offers.release(this.pace.graceMs));
    const offer = await waiting;
    if (offer === null) return nothing('superseded');
    if (offer.result === null) void this.announceGrowth(offers, offer, request, isNewest);
    else this.makeAhead(offers, offer, at, warm, settings);
    return answerOf(offer, at, offer !== known);
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
  leave(uri: string, dismissed?: { version: number; position: Position }): void {
    const offers = this.documents.get(uri);
    if (dismissed) offers?.dismiss(placeKey(dismissed.version, dismissed.position));
    else offers?.leave();
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

  private async announceGrowth(
    offers: DocumentOffers,
    offer: Offer,
    { document: { uri, version }, position }: CompletionRequest,
    isNewest: () => boolean,
  ): Promise<void> {
    if ((await offers.growth(offer, this.pace.growthMs)) && isNewest()) this.events.onGrown?.(uri, version, position);
  }

  /** While the user reads: what follows the shown text if it is accepted. */
  private makeAhead(
    offers: DocumentOffers,
    offer: Offer,
    at: RequestedPlace,
    warm: WarmEngine,
    settings: Settings,
  ): void {
    const coverage = offer.covers(at.document);
    if (!Array.isArray(coverage) || !coverage[0]) return;
    const next = accepted(at.document, coverage[0]);
    const make = warm.maker(next, { ...optionsFrom(settings), priority: 'background' });
    offers.beginAhead(next, this.pace.restMs, make);
  }

  private offersOf(uri: string): DocumentOffers {
    const offers = this.documents.get(uri) ?? new DocumentOffers();
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
    return new WarmEngine(engine, this.events.onMade, this.related);
  }
}

function answerOf(offer: Offer, at: RequestedPlace, isOwn: boolean): Answer {
  const coverage = offer.covers(at.document);
  const items = Array.isArray(coverage) ? coverage.map((suggestion) => toItem(at, suggestion)) : [];
  const { result } = offer;
  const timings = isOwn ? (result?.timings ?? noTimings) : noTimings;
  if (items.length === 0) return { items, reason: result?.reason ?? 'superseded', timings };
  if (result === null) return { items, reason: 'still-growing', timings };
  return { items, reason: isOwn ? 'shown' : 'typed-along', timings };
}

function nothing(reason: Reason): Answer {
  return { items: [], reason, timings: noTimings };
}

function optionsFrom(settings: Settings): CompletionOptions {
  return {
    maxTokens: settings['completion.maxTokens'],
    multiline: settings['completion.multiline'],
    confidence: settings['completion.confidence'],
  };
}

/** Whoever asks wants to see something. */
function choicesFrom(settings: Settings): CompletionOptions {
  return { ...optionsFrom(settings), alternatives: maxAlternatives, confidence: 'eager' };
}

function placeKey(version: number, { line, character }: Position): string {
  return `${version}:${line}:${character}`;
}
