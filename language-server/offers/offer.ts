// An offer: a suggestion for one place in a document, perhaps still growing. While the user types the suggested text,
// the offer stays in use: generation continues, and no key costs a token.
import type { CursorDocument } from '../prompt/text-window.ts';
import { distinct, type Suggestion } from '../shape/shape.ts';
import type { Generate, GhostCompletion } from './complete.ts';

/**
 * What an offer has for a state of the document:
 *   'none'        nothing: the cursor is elsewhere, or the user has typed something else
 *   'pending'     nothing yet: the user has typed the whole text so far, or there is no text yet
 *   'empty'       nothing, and asking again is useless: the model had no text for this place, or it failed
 *   Suggestion[]  the suggestions without the text that the user has typed
 */
export type Coverage = 'none' | 'pending' | 'empty' | Suggestion[];

export class Offer {
  /** The suggestions so far at the offer's own place, best first. */
  suggestions: Suggestion[] = [];
  /** The finished completion; null until then. */
  result: GhostCompletion | null = null;
  /** The error, if generation has failed. */
  failure: unknown;
  /** Resolves when the text grows next, or when the offer ends or is aborted. */
  change = Promise.resolve();
  private readonly controller = new AbortController();
  private wake = () => {};

  /** before: suggestions that the editor already shows. They stay before the generated ones. */
  constructor(
    readonly document: CursorDocument,
    generate: Generate,
    private readonly before: Suggestion[] = [],
  ) {
    this.changed();
    void this.run(generate);
  }

  get isAborted(): boolean {
    return this.controller.signal.aborted;
  }

  /** Stops generation. If the text was not finished, the offer covers nothing from then on. */
  abort(): void {
    this.controller.abort();
    this.changed();
  }

  /** Resolves when the offer has ended or was aborted. */
  async settled(): Promise<void> {
    while (this.result === null && !this.isAborted) await this.change;
  }

  /** Whether the user has typed something other than the offer's text. Moving the cursor rejects nothing. */
  isRejectedBy(at: CursorDocument): boolean {
    const step = this.stepTo(at);
    const [first] = this.suggestions;
    if (!step || !first || step.typed === '') return false;
    return !first.text.startsWith(step.typed) && !step.typed.startsWith(first.text);
  }

  covers(at: CursorDocument): Coverage {
    const step = this.stepTo(at);
    const hasEnded = this.failure !== undefined || (this.result !== null && this.result.reason !== 'cancelled');
    if (step === null || (this.isAborted && !hasEnded)) return 'none';
    const rest = this.suggestions.flatMap((suggestion) => restOf(suggestion, step) ?? []);
    if (rest.length > 0) return rest;
    if (this.failure !== undefined) return 'empty';
    if (this.result === null) return step.typed.startsWith(this.suggestions[0]?.text ?? '') ? 'pending' : 'none';
    return step.typed === '' ? 'empty' : 'none';
  }

  private stepTo(at: CursorDocument): Step | null {
    return typedSince(this.document, at, Math.max(0, ...this.suggestions.map(({ replaces }) => replaces)));
  }

  private async run(generate: Generate): Promise<void> {
    try {
      const result = await generate((suggestion) => this.setSuggestions([suggestion]), this.controller.signal);
      if (result.reason !== 'cancelled') this.setSuggestions(distinct([...this.before, ...result.suggestions]));
      this.result = result;
    } catch (error) {
      // If generation was aborted, nobody waits for its error, and the next attempt may succeed.
      if (!this.isAborted) this.failure = error;
      this.controller.abort();
    }
    this.changed();
  }

  private setSuggestions(suggestions: Suggestion[]): void {
    this.suggestions = suggestions.map((suggestion) => withLineEndsOf(this.document, suggestion));
    this.changed();
  }

  private changed(): void {
    const { wake } = this;
    this.change = new Promise((resolve) => {
      this.wake = resolve;
    });
    wake();
  }
}

/** This much text on each side of the cursor identifies a place. Comparing whole documents would be slow. */
const comparedChars = 1000;

/** The change from one state of a document to another. */
interface Step {
  typed: string;
  /** Brackets that the editor has inserted after the cursor. */
  insertedClosers: string;
  /** How many closing brackets and quotes after the cursor were typed over. */
  overtyped: number;
}

/**
 * The step between two states of a document if the user only typed at the cursor; otherwise null. replaced: how many
 * characters after the cursor the suggestions replace.
 */
function typedSince(from: CursorDocument, to: CursorDocument, replaced: number): Step | null {
  if (to.offset < from.offset) return null;
  const start = Math.max(0, from.offset - comparedChars);
  if (to.text.slice(start, from.offset) !== from.text.slice(start, from.offset)) return null;
  const typed = to.text.slice(from.offset, to.offset);
  const grown = to.text.length - from.text.length - typed.length;
  const closed = to.text.slice(to.offset, to.offset + Math.max(0, grown));
  const overtyped = from.text.slice(from.offset, from.offset + Math.max(0, -grown));
  if (!/^[)\]}>"'`;,]*$/.test(closed + overtyped)) return null;
  const after = from.text.slice(from.offset + overtyped.length, from.offset + Math.max(comparedChars, replaced));
  if (!to.text.startsWith(after, to.offset + closed.length)) return null;
  return { typed, insertedClosers: closed, overtyped: overtyped.length };
}

/** The suggestion without the typed text; null if the user has typed something else, or all of the suggestion. */
function restOf({ text, replaces, probability }: Suggestion, step: Step): Suggestion | null {
  const rest = text.slice(step.typed.length);
  if (rest.trim() === '' || !text.startsWith(step.typed)) return null;
  // The suggestion's own brackets replace those that the editor has inserted.
  const closed = isSubsequence(step.insertedClosers, rest) ? step.insertedClosers.length : 0;
  return { text: rest, replaces: Math.max(0, replaces - step.overtyped) + closed, probability };
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at++;
  return at >= part.length;
}

/** The suggestion with the document's line breaks. Otherwise it could not be compared with the document later. */
function withLineEndsOf({ text, offset }: CursorDocument, suggestion: Suggestion): Suggestion {
  const isCrLf = text.slice(Math.max(0, offset - comparedChars), offset + comparedChars).includes('\r\n');
  return isCrLf ? { ...suggestion, text: suggestion.text.replace(/\r?\n/g, '\r\n') } : suggestion;
}

/** The document after the suggestion is accepted, with the cursor at the suggestion's end. */
export function accepted(document: CursorDocument, { text, replaces }: Suggestion): CursorDocument {
  const { offset } = document;
  return { ...document, text: document.text.with(offset, offset + replaces, text), offset: offset + text.length };
}
