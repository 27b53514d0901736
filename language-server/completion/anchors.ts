// Which anchor each document has, and when the next one takes its place. The held anchor serves until the engine has
// read the next one's prompt, up to what was typed meanwhile: no key pays for an anchor while one line follows another.
import type { Engine } from '../../native/index.ts';
import { type PromptPlace, promptPlace } from '../context/document-path.ts';
import {
  type Anchor,
  type Anchored,
  anchoredAt,
  defaultLinesUp,
  maxGivenChars,
  placeAnchor,
  stillHolds,
  suffixState,
} from './anchor.ts';
import { type FimPrompt, promptBudget, withGivenMiddle } from './fim-prompt.ts';
import { hasNews, type PromptLead, promptLead, type Snippet } from './prompt-lead.ts';
import type { CursorDocument } from './text-window.ts';

// An anchor costs several hundred tokens: the next one must leave clearly less given text than the held one has.
const worthwhileShare = 0.7;
// How many tokens may still be unread when the first key after the change comes.
const maxUnread = 4;
// A person works in a few documents.
const maxDocuments = 16;

interface NextAnchor {
  anchor: Anchor;
  /** As much of a prompt with it as the engine has read. */
  read: Uint32Array;
}

interface Place {
  held: Anchor;
  /** What the next anchor stands behind: the held one's lead, or one with other context. */
  lead: PromptLead;
  next?: NextAnchor | undefined;
  /** Id of the pin that keeps the anchor's pages in the engine's cache, from when they have been read. */
  pin: number;
  isPinned: boolean;
}

/** What the engine should read of a next anchor's prompt; `done` is to be called once it has. */
export interface Reading {
  anchor: Anchor;
  tokens: Uint32Array;
  done: () => void;
}

/** Belongs to one engine: anchors hold token ids. */
export class Anchors {
  private readonly places = new Map<string, Place>();
  private nextPin = 1;

  constructor(
    private readonly engine: Engine,
    private readonly linesUp = defaultLinesUp,
    private readonly placeOf: (uri: string, languageId: string) => PromptPlace = promptPlace,
  ) {}

  prompt(document: CursorDocument): FimPrompt {
    const anchored = this.anchored(document);
    const place = this.places.get(document.uri);
    if (anchored.anchor !== place?.held) {
      this.hold(document.uri, anchored.anchor);
    } else {
      this.keep(document.uri, place);
      this.pin(place); // an earlier request has read it
    }
    return withGivenMiddle(this.engine, anchored.anchor.head, anchored.given);
  }

  /** For a state that the document may reach: the anchor in use stays, as the document does. */
  promptAhead(document: CursorDocument): FimPrompt {
    const { anchor, given } = this.anchored(document);
    return withGivenMiddle(this.engine, anchor.head, given);
  }

  /** What is to be read next; null when nothing is, also because the next anchor has just taken the held one's place. */
  reading(document: CursorDocument): Reading | null {
    const place = this.places.get(document.uri);
    if (!place || !stillHolds(place.held, document)) return null;
    // Keys without a pause may outrun it, too.
    if (place.next && !this.serving(place.next.anchor, document)) place.next = undefined;
    place.next ??= this.nextAfter(place, document);
    const { next } = place;
    const anchored = next && this.serving(next.anchor, document);
    if (!anchored) return null;
    const { tokens } = withGivenMiddle(this.engine, next.anchor.head, anchored.given);
    if (tokens.length - commonLength(tokens, next.read) <= maxUnread) {
      this.pin(this.hold(document.uri, next.anchor));
      return null;
    }
    const done = () => {
      next.read = tokens;
    };
    return { anchor: next.anchor, tokens, done };
  }

  /**
   * Code of other files for prompts in this document, the most useful first. It enters a prompt only with the next
   * anchor, which is read in the background, and only if it has something new to say.
   */
  setContext({ uri, languageId }: CursorDocument, snippets: Snippet[], maxTokens: number): void {
    const place = this.places.get(uri);
    if (!place) return;
    const lead = promptLead(this.engine, this.placeOf(uri, languageId), snippets, maxTokens);
    if (hasNews(lead, place.next?.anchor.lead ?? place.held.lead)) place.lead = lead;
  }

  forget(uri: string): void {
    const place = this.places.get(uri);
    this.places.delete(uri);
    if (place) this.setPin(place.pin, new Uint32Array());
  }

  /** Tests hand over anchors here. */
  protected anchored(document: CursorDocument): Anchored {
    const held = this.places.get(document.uri)?.held;
    const place = this.placeOf(document.uri, document.languageId);
    // A document without a file gets another name when its language is found out.
    const isSamePath = held?.lead.path === place.path;
    const serving = held && isSamePath && this.serving(held, document);
    if (serving) return serving;
    // The held lead has been read already; other context would have to be read while the user waits.
    const lead = held && isSamePath ? held.lead : promptLead(this.engine, place);
    return placeAnchor(this.engine, document, this.linesUp, lead, held);
  }

  /** The anchor with what is given since; null when it does not hold any more, or too much was typed. */
  private serving(anchor: Anchor, document: CursorDocument): Anchored | null {
    if (!stillHolds(anchor, document)) return null;
    const anchored = anchoredAt(this.engine, anchor, document);
    return anchored.given.length <= this.budget.givenTokens ? anchored : null;
  }

  /** Begins once the given text has used a good part of its room, or the suffix or the context is out of date. */
  private nextAfter({ held, lead }: Place, document: CursorDocument): NextAnchor | undefined {
    const used = anchoredAt(this.engine, held, document).given.length;
    const state = suffixState(held, document);
    // Blocks end often: an anchor for each would cost more than what a stale suffix spoils.
    const isOverrun = state === 'overrun' && used >= this.budget.nextAnchorTokens * 0.75;
    const isStale = isOverrun || state === 'deleted' || lead !== held.lead;
    const isFull = used >= this.budget.nextAnchorTokens || document.offset - held.offset >= maxGivenChars / 2;
    if (!isStale && !isFull) return undefined;
    const { anchor, given } = placeAnchor(this.engine, document, this.linesUp, lead, held);
    return isStale || given.length <= used * worthwhileShare ? { anchor, read: new Uint32Array() } : undefined;
  }

  private get budget() {
    return promptBudget(this.engine.info.contextTokens);
  }

  private hold(uri: string, held: Anchor): Place {
    const before = this.places.get(uri);
    const pin = before?.pin ?? this.nextPin++;
    const lead = before?.lead.path === held.lead.path ? before.lead : held.lead;
    const place = { held, lead, pin, isPinned: false };
    this.keep(uri, place);
    return place;
  }

  private pin(place: Place): void {
    if (!place.isPinned) this.setPin(place.pin, place.held.head);
    place.isPinned = true;
  }

  /** A pin only saves time: what is wrong with the engine shows at the next request. */
  private setPin(id: number, tokens: Uint32Array): void {
    this.engine.pin(id, tokens).catch(() => undefined);
  }

  /** The one not used for longest goes first. */
  private keep(uri: string, place: Place): void {
    this.places.delete(uri);
    this.places.set(uri, place);
    const [oldest] = this.places.keys();
    if (this.places.size > maxDocuments && oldest !== undefined) this.forget(oldest);
  }
}

function commonLength(a: Uint32Array, b: Uint32Array): number {
  const differs = a.findIndex((token, i) => token !== b[i]);
  return differs === -1 ? a.length : differs;
}
