// Gives the engine the text of documents that the user has left, as a source of drafts for speculative decoding: what
// follows the same words in another file often comes next here, too.
import type { Completer } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { holdsSecrets } from '../secrets/secrets.ts';
import { tokenizeText } from './fim-prompt.ts';

// About 14,000 tokens; the engine keeps four documents of this size.
const maxChars = 50_000;
// Longer documents are mostly generated, and searching them for secrets would take too long.
const maxSearchedChars = 200_000;

/** For one engine, which has learned the documents. */
export class LeftDocuments {
  private current: OpenDocument | null = null;
  private readonly learned = new Map<string, number>();

  constructor(private readonly engine: Completer) {}

  /** Call with the document that the user is editing. */
  visit(document: OpenDocument): void {
    const left = this.current;
    this.current = document;
    if (left === null || left.uri === document.uri || this.learned.get(left.uri) === left.version) return;
    this.learned.set(left.uri, left.version);
    if (left.text.length > maxSearchedChars || holdsSecrets(left.uri, left.text)) return;
    void this.learn(left.text.slice(0, maxChars));
  }

  /** Call when a document is closed: its text is not learned any more. */
  forget(uri: string): void {
    this.learned.delete(uri);
    if (this.current?.uri === uri) this.current = null;
  }

  /** Errors are ignored: drafts only save time, and a broken engine fails at the next request anyway. */
  private async learn(text: string): Promise<void> {
    try {
      await this.engine.learn?.(tokenizeText(this.engine, text));
    } catch {}
  }
}
