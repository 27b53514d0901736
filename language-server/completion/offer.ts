// An offer: text for one place of a document, perhaps still growing. While the user types what it says, it stays the
// same offer: the stream goes on, and what is left of the text costs no token.
import { spliced } from '../documents/long-text.ts';
import type { GhostCompletion } from './complete.ts';
import { distinct, type Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';

/** Makes the text: by the engine, or whatever else can. Must resolve soon after the signal has aborted. */
export type MakeText = (
  signal: AbortSignal,
  onSuggestion: (suggestion: Suggestion) => void,
) => Promise<GhostCompletion>;

/**
 * What an offer has for a place: nothing, as the place is another one or something else was typed ('none'); nothing yet,
 * though what was typed agrees so far ('pending'); nothing at all, as the model has been asked at this very place and
 * gave nothing to show, or has failed ('silent'); or what is left of its suggestions.
 */
export type Coverage = 'none' | 'pending' | 'silent' | Suggestion[];

export class Offer {
  /** What can be shown at the offer's own place so far; the best one first. */
  suggestions: Suggestion[] = [];
  /** How it ended; null while it grows. */
  result: GhostCompletion | null = null;
  /** What was thrown when no text could be made. */
  failure: unknown;
  private readonly controller = new AbortController();
  private wake: () => void = () => {};
  private next: Promise<void> = Promise.resolve();

  constructor(
    readonly place: CursorDocument,
    make: MakeText,
  ) {
    this.expectChange();
    void this.run(make);
  }

  get isAborted(): boolean {
    return this.controller.signal.aborted;
  }

  /** Ends the engine's work; what was already said stays readable. */
  abort(): void {
    this.controller.abort();
    this.changed();
  }

  /** Resolves when the text has grown, the offer has ended or it was aborted. */
  change(): Promise<void> {
    return this.next;
  }

  /** Resolves when nothing more will be written. */
  async settled(): Promise<void> {
    while (this.result === null && !this.isAborted) await this.next;
  }

  covers(at: CursorDocument): Coverage {
    const step = typedSince(this.place, at);
    if (step === null) return 'none';
    const left = this.suggestions.flatMap((suggestion) => restOf(suggestion, step) ?? []);
    if (left.length > 0) return left;
    if (this.failure !== undefined) return 'silent';
    if (this.isAborted) return 'none';
    if (this.result === null) return step.typed.startsWith(this.suggestions[0]?.text ?? '') ? 'pending' : 'none';
    return this.suggestions.length === 0 && at.text.length === this.place.text.length ? 'silent' : 'none';
  }

  private async run(make: MakeText): Promise<void> {
    const { signal } = this.controller;
    const onSuggestion = (suggestion: Suggestion) => {
      if (signal.aborted) return;
      this.suggestions = [withLineEndsOf(this.place, suggestion)];
      this.changed();
    };
    try {
      const result = await make(signal, onSuggestion);
      if (result.reason !== 'cancelled')
        this.suggestions = result.suggestions.map((each) => withLineEndsOf(this.place, each));
      this.result = result;
    } catch (error) {
      this.failure = error;
      this.controller.abort();
    }
    this.changed();
  }

  private changed(): void {
    const { wake } = this;
    this.expectChange();
    wake();
  }

  private expectChange(): void {
    this.next = new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** Enough text on both sides of the cursor to know the place again; whole documents would cost more than they tell. */
const comparedChars = 1000;

interface Step {
  typed: string;
  /** Brackets that the editor closed right of the cursor meanwhile, … */
  closed: string;
  /** …or how many characters there were typed over. */
  overtyped: number;
}

/** What was typed between two states of a document, if that is all that happened. */
function typedSince(from: CursorDocument, to: CursorDocument): Step | null {
  if (to.offset < from.offset) return null;
  const start = Math.max(0, from.offset - comparedChars);
  if (to.text.slice(start, from.offset) !== from.text.slice(start, from.offset)) return null;
  const typed = to.text.slice(from.offset, to.offset);
  const grown = to.text.length - from.text.length - typed.length;
  const closed = to.text.slice(to.offset, to.offset + Math.max(0, grown));
  const overtyped = from.text.slice(from.offset, from.offset + Math.max(0, -grown));
  if (!/^[)\]}>"'`;,]*$/.test(closed + overtyped)) return null;
  const after = from.text.slice(from.offset + overtyped.length, from.offset + comparedChars);
  if (!to.text.startsWith(after, to.offset + closed.length)) return null;
  return { typed, closed, overtyped: overtyped.length };
}

/** What is left of a suggestion; null if it says something else, or nothing more. */
function restOf({ text, replaces, probability }: Suggestion, step: Step): Suggestion | null {
  const rest = text.slice(step.typed.length);
  if (rest.trim() === '' || !text.startsWith(step.typed)) return null;
  // A bracket that the editor closed gives way to the suggestion's own.
  const closed = isSubsequence(step.closed, rest) ? step.closed.length : 0;
  return { text: rest, replaces: Math.max(0, replaces - step.overtyped) + closed, probability };
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at++;
  return at >= part.length;
}

/** The editor writes line breaks its own way; text that is to be found again in the document must have them too. */
function withLineEndsOf({ text, offset }: CursorDocument, suggestion: Suggestion): Suggestion {
  const around = text.slice(Math.max(0, offset - comparedChars), offset + comparedChars);
  const isCrLf = around.charAt(around.indexOf('\n') - 1) === '\r';
  return isCrLf ? { ...suggestion, text: suggestion.text.replace(/\r?\n/g, '\r\n') } : suggestion;
}

/** The document with the suggestion accepted, and the cursor behind it. */
export function accepted(place: CursorDocument, { text, replaces }: Suggestion): CursorDocument {
  const { offset } = place;
  return { ...place, text: spliced(place.text, offset, offset + replaces, text), offset: offset + text.length };
}

/** An explicit request offers what is shown already and, beside it, other texts. */
export function withChoices(known: Offer | null, place: CursorDocument, make: MakeText): MakeText {
  const coverage = known?.covers(place);
  const shown = Array.isArray(coverage) ? coverage : [];
  return async (signal, onSuggestion) => {
    const made = await make(signal, onSuggestion);
    return { ...made, suggestions: distinct([...shown, ...made.suggestions]) };
  };
}
