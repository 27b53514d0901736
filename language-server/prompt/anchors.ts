// Keeps the current anchor of each document (`held`) and prepares the next one in the background. The next anchor takes
// over once the engine has evaluated its prompt, including the text typed meanwhile. So no key waits for a new anchor
// while the user goes on writing.
import type { Completer } from '../../native/index.ts';
import { type Anchor, type Anchored, anchoredAt, defaultLinesUp, maxGivenChars, placeAnchor } from './anchor.ts';
import { type PromptPlace, promptPlace } from './document-path.ts';
import { type FimPrompt, promptBudget, withGivenMiddle } from './fim-prompt.ts';
import { hasNewSnippet, type PromptPreamble, promptPreamble, type Snippet } from './prompt-preamble.ts';
import type { CursorDocument } from './text-window.ts';

// A new anchor costs several hundred tokens, so it must shorten the given text at least to this share of its length.
const worthwhileShare = 0.7;
// The next anchor takes over once the key that uses it first has at most this many tokens to evaluate.
const maxUnevaluated = 4;
// This many documents keep their anchors. A person works in fewer at a time.
const maxDocuments = 16;

interface NextAnchor {
  anchor: Anchor;
  /** The last prompt with this anchor that was evaluated; empty if none was. */
  evaluated: Uint32Array;
}

interface AnchorState {
  held: Anchor;
  /** The preamble for the next anchor: that of `held`, or one with newer code from other files. */
  preamble: PromptPreamble;
  next?: NextAnchor | undefined;
  /** The id of the pin that keeps the pages of `held` in the engine's cache. */
  pin: number;
  isPinned: boolean;
}

/** A prompt with the next anchor that the engine is to evaluate. Call done() afterwards. */
export interface NextPrefill {
  anchor: Anchor;
  tokens: Uint32Array;
  done: () => void;
}

/** For one engine, since anchors hold token ids. */
export class Anchors {
  /** The next id of a pin. All windows pin in the same engine, so they share the numbers. */
  private static nextPin = 1;
  private readonly states = new Map<string, AnchorState>();

  constructor(
    private readonly engine: Completer,
    private readonly linesUp = defaultLinesUp,
    private readonly placeOf: (uri: string, languageId: string) => PromptPlace = promptPlace,
  ) {}

  /** The prompt for a key at the cursor. If the prompt needs a new anchor, that becomes the current one. */
  prompt(document: CursorDocument): FimPrompt {
    const anchored = this.anchored(document);
    const entry = this.states.get(document.uri);
    if (anchored.anchor !== entry?.held) {
      this.hold(document.uri, anchored.anchor);
    } else {
      this.keep(document.uri, entry);
      this.pin(entry); // an earlier request has evaluated the anchor
    }
    return withGivenMiddle(this.engine, anchored.anchor.head, anchored.given);
  }

  /** The prompt for a document as it would be after an edit. The current anchor stays. */
  promptAhead(document: CursorDocument): FimPrompt {
    const { anchor, given } = this.anchored(document);
    return withGivenMiddle(this.engine, anchor.head, given);
  }

  /**
   * The next prompt to evaluate in the background; null if there is none. If the next anchor has been evaluated, it
   * becomes the current one.
   */
  nextPrefill(document: CursorDocument): NextPrefill | null {
    const entry = this.states.get(document.uri);
    const held = entry && anchoredAt(this.engine, entry.held, document);
    if (!held) return null;
    // If the user has typed fast, the next anchor may be out of date already.
    if (entry.next && !this.serving(entry.next.anchor, document)) entry.next = undefined;
    entry.next ??= this.nextAfter(held, entry.preamble, document);
    const { next } = entry;
    const anchored = next && this.serving(next.anchor, document);
    if (!anchored) return null;
    const { tokens } = withGivenMiddle(this.engine, next.anchor.head, anchored.given);
    if (tokens.length - commonLength(tokens, next.evaluated) <= maxUnevaluated) {
      this.pin(this.hold(document.uri, next.anchor));
      return null;
    }
    const done = () => {
      next.evaluated = tokens;
    };
    return { anchor: next.anchor, tokens, done };
  }

  /**
   * Sets the code from other files for this document. It is used from the next anchor on, which is evaluated in the
   * background. Nothing changes if the most useful snippet is already in use. snippets: most useful first.
   */
  setOtherCode({ uri, languageId }: CursorDocument, snippets: Snippet[], maxTokens: number): void {
    const entry = this.states.get(uri);
    if (!entry) return;
    const preamble = promptPreamble(this.engine, this.placeOf(uri, languageId), snippets, maxTokens);
    const last = entry.next?.anchor.preamble ?? entry.held.preamble;
    entry.preamble = hasNewSnippet(preamble, last) ? preamble : last;
  }

  /** Call when code from some files must no longer be in prompts. Documents with such code get new anchors. */
  withdraw(isRefused: (path: string) => boolean): void {
    for (const [uri, { held, preamble, next }] of [...this.states]) {
      const preambles = [held.preamble, preamble, next?.anchor.preamble];
      const sources = preambles.flatMap((used) => [...(used?.sources ?? [])]);
      if (sources.some(isRefused)) this.forget(uri);
    }
  }

  forget(uri: string): void {
    const entry = this.states.get(uri);
    this.states.delete(uri);
    if (entry) this.setPin(entry.pin, new Uint32Array());
  }

  forgetAll(): void {
    for (const uri of [...this.states.keys()]) this.forget(uri);
  }

  /** The current anchor if it serves this cursor; otherwise a new one. Tests override this. */
  protected anchored(document: CursorDocument): Anchored {
    const held = this.states.get(document.uri)?.held;
    // The path of an untitled document changes when VS Code detects its language.
    const serving = held?.languageId === document.languageId && this.serving(held, document);
    if (serving) return serving;
    const place = this.placeOf(document.uri, document.languageId);
    // The current preamble is in the cache. A new one would have to be evaluated while the user waits.
    const preamble = held?.preamble.path === place.path ? held.preamble : promptPreamble(this.engine, place);
    return placeAnchor(this.engine, document, this.linesUp, preamble, held);
  }

  /**
   * The anchor with the given text for this cursor; null if the anchor no longer matches the document, or if the given
   * text is too long.
   */
  private serving(anchor: Anchor, document: CursorDocument): Anchored | null {
    const anchored = anchoredAt(this.engine, anchor, document);
    return anchored && anchored.given.length <= this.budget.givenTokens ? anchored : null;
  }

  /** A next anchor if the given text is long, or if the suffix or the preamble is out of date. */
  private nextAfter(held: Anchored, preamble: PromptPreamble, document: CursorDocument): NextAnchor | undefined {
    const { anchor: last, suffix } = held;
    const givenLength = held.given.length;
    // A new anchor at the end of every block would cost more than it gains, so the given text must be rather long, too.
    const isOverrun = suffix === 'overrun' && givenLength >= this.budget.nextAnchorTokens * 0.75;
    const isStale = isOverrun || suffix === 'deleted' || preamble !== last.preamble;
    const isFull = givenLength >= this.budget.nextAnchorTokens || document.offset - last.offset >= maxGivenChars / 2;
    if (!isStale && !isFull) return undefined;
    const { anchor, given } = placeAnchor(this.engine, document, this.linesUp, preamble, last);
    const isWorthwhile = isStale || given.length <= givenLength * worthwhileShare;
    return isWorthwhile ? { anchor, evaluated: new Uint32Array() } : undefined;
  }

  private get budget() {
    return promptBudget(this.engine.info.contextTokens);
  }

  /** Makes an anchor the current one of its document. */
  private hold(uri: string, held: Anchor): AnchorState {
    const before = this.states.get(uri);
    const pin = before?.pin ?? Anchors.nextPin++;
    const preamble = before?.preamble.path === held.preamble.path ? before.preamble : held.preamble;
    const entry = { held, preamble, pin, isPinned: false };
    this.keep(uri, entry);
    return entry;
  }

  private pin(entry: AnchorState): void {
    if (!entry.isPinned) this.setPin(entry.pin, entry.held.head);
    entry.isPinned = true;
  }

  /** Errors are ignored: a pin only saves time, and a broken engine fails at the next request anyway. */
  private setPin(id: number, tokens: Uint32Array): void {
    this.engine.pin?.(id, tokens).catch(() => undefined);
  }

  /** Makes the document the most recently used one. If there are too many, forgets the least recently used one. */
  private keep(uri: string, entry: AnchorState): void {
    this.states.delete(uri);
    this.states.set(uri, entry);
    const [oldest] = this.states.keys();
    if (this.states.size > maxDocuments && oldest !== undefined) this.forget(oldest);
  }
}

function commonLength(a: Uint32Array, b: Uint32Array): number {
  const differs = a.findIndex((token, i) => token !== b[i]);
  return differs === -1 ? a.length : differs;
}
