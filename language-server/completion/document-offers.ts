// The offers of one document: the current one, and the one made ahead for the moment when the current one is accepted.
// See "The life of an offer" in ARCHITECTURE.md.
import { setTimeout as sleep } from 'node:timers/promises';
import { isSameText } from '../documents/long-text.ts';
import { type MakeText, Offer } from './offer.ts';
import type { CursorDocument } from './text-window.ts';

/** Somebody who waits for text. */
export interface Waiter {
  /** False once a newer request came, or this one was cancelled. */
  isWanted: () => boolean;
  /** Resolves when the request is cancelled. */
  cancelled: Promise<void>;
  /** After so long, what there is will do; null: only the whole text will. */
  momentMs: number | null;
}

export class DocumentOffers {
  private current: Offer | null = null;
  private ahead: Offer | null = null;
  private aheadTimer: NodeJS.Timeout | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  private dismissedAt = '';
  private turn = 0;

  /** A new request supersedes the one before it. The function says whether this one still is the newest. */
  nextTurn(): () => boolean {
    clearTimeout(this.graceTimer);
    const turn = ++this.turn;
    return () => this.turn === turn;
  }

  /** The offer that has, or may yet have, text for this place. One made ahead becomes the current one. */
  at(place: CursorDocument): Offer | null {
    if (this.current !== null && this.current.covers(place) !== 'none') return this.current;
    const { ahead } = this;
    if (ahead === null || ahead.failure !== undefined || ahead.covers(place) === 'none') return null;
    this.current?.abort();
    this.current = ahead;
    this.ahead = null;
    return this.current;
  }

  begin(place: CursorDocument, make: MakeText): Offer {
    this.abort();
    this.current = new Offer(place, make);
    return this.current;
  }

  /**
   * The offer that has text for this place, or is known to have none; it is begun where there is none, and again where
   * the one that was adopted turns out to say something else. Null when nobody waits any more. Rejects with what `make`
   * throws.
   */
  async textAt(place: CursorDocument, make: MakeText, waiter: Waiter): Promise<Offer | null> {
    let isLate = false;
    const moment = async (ms: number) => {
      await sleep(ms, undefined, { ref: false });
      isLate = true;
    };
    const late = waiter.momentMs === null ? [] : [moment(waiter.momentMs)];
    while (waiter.isWanted()) {
      const offer = this.at(place) ?? this.begin(place, make);
      if (offer.failure !== undefined) {
        this.current = null; // so that the next request tries again
        throw offer.failure;
      }
      if (offer.result !== null || (isLate && Array.isArray(offer.covers(place)))) return offer;
      await Promise.race([offer.change(), waiter.cancelled, ...(isLate ? [] : late)]);
    }
    return null;
  }

  /** Resolves when an offer that was answered early is whole, or has grown for so long; false if it is no longer shown. */
  async growth(offer: Offer, growthMs: number): Promise<boolean> {
    const pause = sleep(growthMs, undefined, { ref: false });
    let isPaused = false;
    void pause.then(() => {
      isPaused = true;
    });
    const size = offer.suggestions[0]?.text.length;
    const hasGrown = () => offer.suggestions[0]?.text.length !== size;
    while (this.current === offer && !offer.isAborted && offer.result === null && !(isPaused && hasGrown()))
      await Promise.race([offer.change(), ...(isPaused ? [] : [pause])]);
    return this.current === offer && !offer.isAborted && hasGrown();
  }

  /** Makes what follows once the text has been accepted, as soon as the user has left it alone for restMs. */
  beginAhead(place: CursorDocument, restMs: number, make: MakeText): void {
    const { ahead } = this;
    const isMade =
      ahead !== null &&
      !ahead.isAborted &&
      ahead.place.offset === place.offset &&
      isSameText(ahead.place.text, place.text);
    if (isMade) return;
    this.abortAhead();
    this.aheadTimer = setTimeout(() => {
      this.ahead = new Offer(place, make);
    }, restMs).unref();
  }

  /** Nobody waits: unless the next request adopts the current offer soon, its work ends. */
  release(graceMs: number): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = setTimeout(() => {
      if (this.current?.result === null) this.current.abort();
    }, graceMs).unref();
  }

  /** The user has dismissed the text: it does not come back at this place of this version. */
  dismiss(placeAndVersion: string): void {
    this.dismissedAt = placeAndVersion;
    this.leave();
  }

  wasDismissed(placeAndVersion: string): boolean {
    return this.dismissedAt === placeAndVersion;
  }

  /** The user has gone elsewhere: whoever waits gets nothing, and the engine's work ends. */
  leave(): void {
    this.nextTurn();
    this.abort();
  }

  abort(): void {
    this.current?.abort();
    this.current = null;
    this.abortAhead();
  }

  private abortAhead(): void {
    clearTimeout(this.aheadTimer);
    this.ahead?.abort();
    this.ahead = null;
  }
}
