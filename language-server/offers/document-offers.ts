// The offers of one document: the current one, and one made ahead for when the user accepts it. "The life of an offer"
// in ARCHITECTURE.md explains them.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSameText } from '../documents/long-text.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { VersionedPosition } from '../protocol/messages.ts';
import type { Suggestion } from '../rules/suggestion.ts';
import type { GhostCompletion } from './complete.ts';
import { accepted, type MakeText, Offer, withChoices } from './offer.ts';

export interface Pace {
  /** An automatic request is answered after this time with the text so far. People press a key every 120 to 200 ms. */
  momentMs: number;
  /** The pause between two notices that the shown text has grown. */
  growthMs: number;
  /** How long a suggestion must be shown before the text after it is generated. */
  restMs: number;
  /**
   * How long the offer of a cancelled request is kept for the next key. Editors send a request 35 to 50 ms after it.
   */
  graceMs: number;
}

export const defaultPace: Pace = { momentMs: 90, growthMs: 300, restMs: 150, graceMs: 100 };

/** One request of the editor; it is current until it is cancelled or a newer one supersedes it. */
export interface Turn {
  /** Whether the user has dismissed the suggestion at this position in this version of the document. */
  wasDismissed: boolean;
  isNewest: () => boolean;
  /** Whether the request is the newest one and has not been cancelled. */
  isWanted: () => boolean;
  /** Resolves when the request is cancelled. */
  cancelled: Promise<void>;
}

/** The purpose of an offer: text to show, several texts to choose from, or text to show after this one is accepted. */
export type Purpose = 'text' | 'choices' | 'ahead';
export type Maker = (place: CursorDocument, purpose: Purpose) => MakeText;

export interface TextRequest {
  make: Maker;
  /** Whether the user has asked explicitly; the answer is then the whole text with alternatives. */
  isInvoked: boolean;
  /** Called when a new request would return more text. If absent, only the whole text is returned. */
  onGrown: (() => void) | undefined;
}

export interface Found {
  /** Best first. */
  suggestions: Suggestion[];
  /** How the offer ended; null while its text is still growing. */
  result: GhostCompletion | null;
  /** Whether the offer was begun for this request and not adopted from an earlier one. */
  isOwn: boolean;
}

export class DocumentOffers {
  private current: Offer | null = null;
  private ahead: Offer | null = null;
  private aheadTimer: NodeJS.Timeout | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  private dismissed = '';
  private turn = 0;

  constructor(private readonly pace: Pace) {}

  /** Begins a new request, which supersedes the previous one. */
  nextTurn(at: VersionedPosition, signal: AbortSignal): Turn {
    const turn = this.supersede();
    const isNewest = () => this.turn === turn;
    const cancelled = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => {});
    const wasDismissed = this.dismissed === keyOf(at);
    return { wasDismissed, isNewest, isWanted: () => isNewest() && !signal.aborted, cancelled };
  }

  /** Resolves when the offer for this place has all its text, or when the request is cancelled. */
  async settled(place: CursorDocument, { cancelled }: Turn): Promise<void> {
    await Promise.race([this.at(place)?.settled(), cancelled]);
  }

  /**
   * The text for this place; null if the request is no longer wanted. Rejects with the error of the engine. If the text
   * is still growing, onGrown is called later; if it is whole, the text after it is generated while the user reads.
   */
  async textAt(place: CursorDocument, turn: Turn, request: TextRequest): Promise<Found | null> {
    const known = this.at(place);
    if (request.isInvoked) this.begin(place, withChoices(known, place, request.make(place, 'choices')));
    void turn.cancelled.then(() => turn.isNewest() && this.release());
    const offer = await this.readyOffer(place, request, turn);
    if (offer === null) return null;
    const coverage = offer.covers(place);
    const suggestions = Array.isArray(coverage) ? coverage : [];
    if (offer.result === null) void this.announceGrowth(offer, request, turn);
    else if (suggestions[0]) this.beginAhead(accepted(place, suggestions[0]), request);
    return { suggestions, result: offer.result, isOwn: offer !== known };
  }

  /** The cursor has moved away or the user has dismissed the text. Ends waiting requests and the engine's work. */
  leave(dismissed?: VersionedPosition): void {
    if (dismissed) this.dismissed = keyOf(dismissed);
    this.supersede();
    this.abort();
  }

  abort(): void {
    this.current?.abort();
    this.current = null;
    this.abortAhead();
  }

  private supersede(): number {
    clearTimeout(this.graceTimer);
    return ++this.turn;
  }

  /** The offer that has or may get text for this place. If it is the one made ahead, it becomes the current one. */
  private at(place: CursorDocument): Offer | null {
    if (this.current !== null && this.current.covers(place) !== 'none') return this.current;
    const { ahead } = this;
    if (ahead === null || ahead.failure !== undefined || ahead.covers(place) === 'none') return null;
    this.current?.abort();
    this.current = ahead;
    this.ahead = null;
    return this.current;
  }

  private begin(place: CursorDocument, make: MakeText): Offer {
    this.abort();
    this.current = new Offer(place, make);
    return this.current;
  }

  /**
   * Waits for an offer that has text for this place or is known to have none. Begins one if there is none, and another
   * if the text of the adopted one turns out to differ from what was typed.
   */
  private async readyOffer(place: CursorDocument, { make, isInvoked, onGrown }: TextRequest, turn: Turn) {
    const mayBeEarly = !isInvoked && onGrown !== undefined;
    let isLate = false;
    const moment = async () => {
      await sleep(this.pace.momentMs, undefined, { ref: false });
      isLate = true;
    };
    const late = mayBeEarly ? [moment()] : [];
    while (turn.isWanted()) {
      const offer = this.at(place) ?? this.begin(place, make(place, 'text'));
      if (offer.failure !== undefined) {
        this.current = null; // so that the next request tries again
        throw offer.failure;
      }
      if (offer.result !== null || (isLate && Array.isArray(offer.covers(place)))) return offer;
      await Promise.race([offer.change(), turn.cancelled, ...(isLate ? [] : late)]);
    }
    return null;
  }

  /** Calls onGrown when the offer has ended, or when it has grown and growthMs have passed, if it is still shown. */
  private async announceGrowth(offer: Offer, { onGrown }: TextRequest, { isNewest }: Turn): Promise<void> {
    let isPaused = false;
    const pause = sleep(this.pace.growthMs, undefined, { ref: false }).then(() => {
      isPaused = true;
    });
    const size = offer.suggestions[0]?.text.length;
    const hasGrown = () => offer.suggestions[0]?.text.length !== size;
    while (this.current === offer && !offer.isAborted && offer.result === null && !(isPaused && hasGrown()))
      await Promise.race([offer.change(), ...(isPaused ? [] : [pause])]);
    if (this.current === offer && !offer.isAborted && hasGrown() && isNewest()) onGrown?.();
  }

  /** Begins an offer for the text after the accepted suggestion, once it has been shown for restMs. */
  private beginAhead(place: CursorDocument, { make }: TextRequest): void {
    const { ahead } = this;
    const isMade =
      ahead !== null &&
      !ahead.isAborted &&
      ahead.place.offset === place.offset &&
      isSameText(ahead.place.text, place.text);
    if (isMade) return;
    this.abortAhead();
    this.aheadTimer = setTimeout(() => {
      this.ahead = new Offer(place, make(place, 'ahead'));
    }, this.pace.restMs).unref();
  }

  /** Aborts the current offer after graceMs, unless another request adopts it. */
  private release(): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = setTimeout(() => {
      if (this.current?.result === null) this.current.abort();
    }, this.pace.graceMs).unref();
  }

  private abortAhead(): void {
    clearTimeout(this.aheadTimer);
    this.ahead?.abort();
    this.ahead = null;
  }
}

function keyOf({ version, position: { line, character } }: VersionedPosition): string {
  return `${version}:${line}:${character}`;
}
