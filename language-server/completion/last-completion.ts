// Typed-through: while the user types what the ghost text says, the answer comes from memory.
import { trimOverlap } from './postprocess.ts';
import { type CursorDocument, surroundings } from './text-window.ts';

// Enough text on both sides to know that it is the same place; comparing whole documents would cost more than it tells.
const comparedChars = 1000;

interface Shown {
  offset: number;
  length: number;
  before: string;
  after: string;
  /** The one shown first, then those that may be shown instead. */
  texts: string[];
}

export class LastCompletion {
  private readonly shown = new Map<string, Shown>();

  remember({ uri, text, offset }: CursorDocument, ...texts: string[]): void {
    this.shown.set(uri, {
      offset,
      length: text.length,
      before: text.slice(Math.max(0, offset - comparedChars), offset),
      after: text.slice(offset, offset + comparedChars),
      texts,
    });
  }

  /** What remains of the ghost text last shown in this document; null when something else was typed. */
  remainder(document: CursorDocument): string | null {
    const { uri, text, offset } = document;
    const shown = this.shown.get(uri);
    if (!shown || offset < shown.offset) return null;
    if (text.slice(Math.max(0, shown.offset - comparedChars), shown.offset) !== shown.before) return null;
    const typed = text.slice(shown.offset, offset);
    const typedThrough = shown.texts.find((each) => each.length > typed.length && each.startsWith(typed));
    if (typedThrough === undefined || !this.continues(shown, text, offset, typed)) return null;
    const rest = trimOverlap(typedThrough.slice(typed.length), surroundings(text, offset).lineSuffix);
    return rest.trim() === '' ? null : rest;
  }

  forget(uri: string): void {
    this.shown.delete(uri);
  }

  // An editor that closes a typed bracket or quote adds one character right of the cursor.
  private continues(shown: Shown, text: string, offset: number, typed: string): boolean {
    const added = text.length - shown.length - typed.length;
    const isAutoClosed = added > 0 && /^[)\]}"'`]+$/.test(text.slice(offset, offset + added));
    return (added === 0 || isAutoClosed) && text.startsWith(shown.after, offset + added);
  }
}
