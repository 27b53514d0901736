// The offers of one document: the current offer, and an offer made ahead for the place where the cursor will be if the
// user accepts it. See "The life of an offer" in language-server/README.md.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { VersionedPosition } from '../protocol/messages.ts';
import type { Suggestion } from '../shape/shape.ts';
import type { Generate, GhostCompletion } from './complete.ts';
import { accepted, Offer } from './offer.ts';

export interface Pace {
  /**
   * After this time, an automatic request is answered with the text so far. If there is none yet, it is answered with
   * the first text that can be shown. People press a key every 120 to 200 ms.
   */
  earlyAnswerMs: number;
  /** The shortest time between an answer and the notice that its text has grown. */
  growthMs: number;
  /** How long a suggestion is shown before the text that would follow it is generated. */
  restMs: number;
  /**
   * How long the offer of a cancelled request is kept for the next key. Editors send a key's request 35 to 50 ms
   * after the key.
   */
  graceMs: number;
}

export const defaultPace: Pace = { earlyAnswerMs: 90, growthMs: 300, restMs: 150, graceMs: 100 };

export interface Purpose {
  /**
   * 'text': to be shown now. 'choices': several texts for the user to choose from. 'ahead': to be shown once the
   * current suggestion is accepted.
   */
  kind: 'text' | 'choices' | 'ahead';
  /** Whether a suggestion must be likelier than usual, because the user has rejected one in this line. */
  isCareful: boolean;
}

/** Returns the function that generates the text for a place. */
export type Maker = (document: CursorDocument, purpose: Purpose) => Generate;

export interface TextRequest {
  document: CursorDocument;
  /** The number of the cursor's line. */
  line: number;
  make: Maker;
  /** Whether the user has asked explicitly. The answer is then the whole text, with alternatives. */
  isInvoked: boolean;
  /** Called when a new request would return more text. If absent, the request waits for the whole text. */
  onGrown: (() => void) | undefined;
}

export interface FoundText {
  /** Best first. */
  suggestions: Suggestion[];
  /** The finished completion; null while the text is still growing. */
  result: GhostCompletion | null;
  /** Whether the offer was begun for this request rather than an earlier one. */
  isNew: boolean;
}

export class DocumentOffers {
  /** The offer at the cursor. */
  private current: Offer | null = null;
  /** The offer for the place after the current suggestion, in case the user accepts it. */
  private ahead: Offer | null = null;
  private aheadTimer: NodeJS.Timeout | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  /** Where the user last dismissed a suggestion (keyOf); '' for nowhere. */
  private dismissed = '';
  /** The line in which the user last rejected a suggestion, by dismissing it or by typing something else. */
  private rejectedLine = -1;
  /** The last offer whose text was sent to the editor. */
  private lastSent: Offer | null = null;
  /** Ends the newest request when the next one comes or the cursor leaves. */
  private newest = new AbortController();

  constructor(private readonly pace: Pace) {}

  /**
   * Call for each new request, which supersedes the previous one. request: the signal with which the editor cancels the
   * request. Returns the demand: a signal that is aborted once nobody waits for the answer any more.
   */
  supersede(request: AbortSignal): AbortSignal {
    clearTimeout(this.graceTimer);
    this.newest.abort();
    const newest = new AbortController();
    this.newest = newest;
    request.addEventListener('abort', () => newest === this.newest && this.release(), { once: true });
    return AbortSignal.any([request, newest.signal]);
  }

  /** Aborts the current offer after graceMs, unless another request adopts it. */
  release(): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = setTimeout(() => {
      if (this.current?.result === null) this.current.abort();
    }, this.pace.graceMs).unref();
  }

  /** Whether the user has dismissed the suggestion at this position in this version of the document. */
  wasDismissed(at: VersionedPosition): boolean {
    return this.dismissed === keyOf(at);
  }

  /** Resolves when the offer that covers this document is finished, or when the demand ends. */
  async settled(document: CursorDocument, demand: AbortSignal): Promise<void> {
    await Promise.race([this.offerFor(document)?.settled(), endOf(demand)]);
  }

  /**
   * The text at the cursor; null if the demand has ended. Rejects with the engine's error. If the text is still
   * growing, onGrown is called later. If the text is whole, the text after it is generated while the user reads.
   */
  async textAt(request: TextRequest, demand: AbortSignal): Promise<FoundText | null> {
    const { document } = request;
    const known = this.offerFor(document);
    if (request.isInvoked) this.begin(request, { kind: 'choices', isCareful: false }, suggestionsOf(known, document));
    const offer = await this.readyOffer(request, demand);
    if (offer === null) return null;
    const suggestions = suggestionsOf(offer, document);
    if (suggestions.length > 0) this.lastSent = offer;
    if (offer.result === null) void this.followGrowth(offer, request, demand);
    else if (suggestions[0]) this.beginAhead(suggestions[0], request);
    return { suggestions, result: offer.result, isNew: offer !== known };
  }

  /**
   * Call when the cursor has moved away or the user has dismissed the text. Ends the waiting request and the engine's
   * work.
   */
  leave(dismissed?: VersionedPosition): void {
    if (dismissed) {
      this.dismissed = keyOf(dismissed);
      this.rejectedLine = dismissed.position.line;
    }
    clearTimeout(this.graceTimer);
    this.newest.abort();
    this.abort();
  }

  abort(): void {
    this.current?.abort();
    this.current = null;
    this.abortAhead();
  }

  /** The offer that covers this document, if there is one. An offer made ahead then becomes the current one. */
  private offerFor(document: CursorDocument): Offer | null {
    if (this.current !== null && this.current.covers(document) !== 'none') return this.current;
    const { ahead } = this;
    if (ahead === null || ahead.failure !== undefined || ahead.covers(document) === 'none') return null;
    this.current?.abort();
    this.current = ahead;
    this.ahead = null;
    return this.current;
  }

  /** The purpose of the text for a key. If the key rejects the shown suggestion, remembers the line. */
  private purposeOf({ document, line }: TextRequest): Purpose {
    if (this.current !== null && this.current === this.lastSent && this.current.isRejectedBy(document))
      this.rejectedLine = line;
    return { kind: 'text', isCareful: line === this.rejectedLine };
  }

  private begin({ document, make }: TextRequest, purpose: Purpose, before: Suggestion[] = []): Offer {
    this.abort();
    this.current = new Offer(document, make(document, purpose), before);
    return this.current;
  }

  /**
   * Waits for an offer that can be the answer: one that is finished or, once earlyAnswerMs have passed, one that has
   * text. Begins an offer if none covers the document, or if the text of the current offer turns out to differ from
   * what the user has typed. Null if the demand ends first.
   */
  private async readyOffer(request: TextRequest, demand: AbortSignal): Promise<Offer | null> {
    const { document, isInvoked, onGrown } = request;
    const mayBeEarly = !isInvoked && onGrown !== undefined;
    let isLate = false;
    const becomeLate = async () => {
      await sleep(this.pace.earlyAnswerMs, undefined, { ref: false });
      isLate = true;
    };
    const late = mayBeEarly ? [becomeLate()] : [];
    const end = endOf(demand);
    while (!demand.aborted) {
      const offer = this.offerFor(document) ?? this.begin(request, this.purposeOf(request));
      if (offer.failure !== undefined) {
        this.current = null; // so that the next request tries again
        throw offer.failure;
      }
      if (offer.result !== null || (isLate && suggestionsOf(offer, document).length > 0)) return offer;
      await Promise.race([offer.change, end, ...(isLate ? [] : late)]);
    }
    return null;
  }

  /**
   * Watches an offer whose unfinished text was the answer. Calls onGrown once the text has grown and either growthMs
   * have passed or the offer is finished. If the text has not grown by then, the text after it is generated.
   */
  private async followGrowth(offer: Offer, request: TextRequest, demand: AbortSignal): Promise<void> {
    let isPaused = false;
    const pause = sleep(this.pace.growthMs, undefined, { ref: false }).then(() => {
      isPaused = true;
    });
    const size = offer.suggestions[0]?.text.length;
    const hasGrown = () => offer.suggestions[0]?.text.length !== size;
    while (this.current === offer && !offer.isAborted && offer.result === null && !(isPaused && hasGrown()))
      await Promise.race([offer.change, ...(isPaused ? [] : [pause])]);
    if (this.current !== offer || offer.isAborted || demand.aborted) return;
    const [suggestion] = suggestionsOf(offer, request.document);
    if (hasGrown()) request.onGrown?.();
    else if (suggestion) this.beginAhead(suggestion, request);
  }

  /** Begins an offer for the place after the suggestion, once the suggestion has been shown for restMs. */
  private beginAhead(suggestion: Suggestion, { document: before, line, make }: TextRequest): void {
    const document = accepted(before, suggestion);
    const { ahead } = this;
    const isBegunAlready =
      ahead !== null &&
      !ahead.isAborted &&
      ahead.document.offset === document.offset &&
      ahead.document.text.equals(document.text);
    if (isBegunAlready) return;
    this.abortAhead();
    this.aheadTimer = setTimeout(() => {
      // The same condition as for a key in that line: a suggestion must not depend on when it was made.
      const isCareful = line + newlines(suggestion.text) === this.rejectedLine;
      this.ahead = new Offer(document, make(document, { kind: 'ahead', isCareful }));
    }, this.pace.restMs).unref();
  }

  private abortAhead(): void {
    clearTimeout(this.aheadTimer);
    this.ahead?.abort();
    this.ahead = null;
  }
}

/** Resolves when the demand has ended. */
export async function endOf(demand: AbortSignal): Promise<undefined> {
  if (!demand.aborted) await once(demand, 'abort');
}

const newlines = (text: string): number => text.split('\n').length - 1;

function keyOf({ version, position: { line, character } }: VersionedPosition): string {
  return `${version}:${line}:${character}`;
}

/** The suggestions that the offer has for the document; empty if it has none. */
function suggestionsOf(offer: Offer | null, document: CursorDocument): Suggestion[] {
  const coverage = offer?.covers(document);
  return Array.isArray(coverage) ? coverage : [];
}
