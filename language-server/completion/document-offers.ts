// The offers of one document: the current one, and the one made ahead for the moment when the current one is accepted.
// See "The life of an offer" in ARCHITECTURE.md.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSameText } from '../documents/long-text.ts';
import type { VersionedPosition } from '../protocol.ts';
import type { GhostCompletion } from './complete.ts';
import { accepted, type MakeText, Offer, withChoices } from './offer.ts';
import type { Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';

export interface Pace {
  /** After this time an automatic request is answered with the text so far. Keys come every 120 to 200 ms. */
  momentMs: number;
  /** How often it is announced that shown text has grown. */
  growthMs: number;
  /** How long an answer is left alone before what follows it is made. */
  restMs: number;
  /** How long the next key may adopt the offer of a cancelled request. Editors ask 35 to 50 ms after a key. */
  graceMs: number;
}

export const defaultPace: Pace = { momentMs: 90, growthMs: 300, restMs: 150, graceMs: 100 };

/** A request, from its arrival until it is cancelled or a newer one supersedes it. */
export interface Turn {
  /** The user has dismissed the text at this place of this version. */
  wasDismissed: boolean;
  isNewest: () => boolean;
  /** It is the newest, and has not been cancelled. */
  isWanted: () => boolean;
  /** Resolves when the request is cancelled. */
  cancelled: Promise<void>;
}

/** Text to show, several texts to choose from, or text for the moment when what is shown has been accepted. */
export type Purpose = 'text' | 'choices' | 'ahead';
export type Maker = (place: CursorDocument, purpose: Purpose) => MakeText;

export interface Wish {
  make: Maker;
  /** The user has asked for it, and gets the whole text and others to choose from. */
  isInvoked: boolean;
  /** Asking again brings more text than the answer had. Absent: only the whole text will do. */
  onGrown: (() => void) | undefined;
}

export interface Found {
  /** The best one first. */
  suggestions: Suggestion[];
  /** How the offer ended; null while it grows. */
  result: GhostCompletion | null;
  /** Whether the offer was begun for this very request. */
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

  /** A new request supersedes the one before it. */
  nextTurn(at: VersionedPosition, signal: AbortSignal): Turn {
    const turn = this.supersede();
    const isNewest = () => this.turn === turn;
    const cancelled = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => {});
    const wasDismissed = this.dismissed === keyOf(at);
    return { wasDismissed, isNewest, isWanted: () => isNewest() && !signal.aborted, cancelled };
  }

  /** Resolves when nothing more will be written for this place, or nobody waits for it any more. */
  async settled(place: CursorDocument, { cancelled }: Turn): Promise<void> {
    await Promise.race([this.at(place)?.settled(), cancelled]);
  }

  /**
   * The text for this place; null if nobody waits for it any more. Rejects with what making it throws. If the text is
   * still growing, that it has grown is announced later; if it is whole, what follows it is made while the user reads.
   */
  async textAt(place: CursorDocument, turn: Turn, wish: Wish): Promise<Found | null> {
    const known = this.at(place);
    if (wish.isInvoked) this.begin(place, withChoices(known, place, wish.make(place, 'choices')));
    void turn.cancelled.then(() => turn.isNewest() && this.release());
    const offer = await this.readyOffer(place, wish, turn);
    if (offer === null) return null;
    const coverage = offer.covers(place);
    const suggestions = Array.isArray(coverage) ? coverage : [];
    if (offer.result === null) void this.announceGrowth(offer, wish, turn);
    else if (suggestions[0]) this.beginAhead(accepted(place, suggestions[0]), wish);
    return { suggestions, result: offer.result, isOwn: offer !== known };
  }

  /** The user has gone elsewhere or dismissed the text: whoever waits gets nothing, and the engine's work ends. */
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

  /** The offer that has, or may yet have, text for this place. One made ahead becomes the current one. */
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
   * The offer that has text for this place, or is known to have none. One is begun if there is none, and again if the
   * one that was adopted turns out to say something else.
   */
  private async readyOffer(place: CursorDocument, { make, isInvoked, onGrown }: Wish, turn: Turn) {
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

  /** When the offer is whole, or has grown and growthMs have passed; not if it is no longer shown. */
  private async announceGrowth(offer: Offer, { onGrown }: Wish, { isNewest }: Turn): Promise<void> {
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

  /** Makes what follows the accepted text, as soon as the user has left the text alone for a moment. */
  private beginAhead(place: CursorDocument, { make }: Wish): void {
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

  /** Nobody waits any more: unless the next request adopts the current offer soon, the engine's work on it ends. */
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
