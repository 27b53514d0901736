// Teaches the engine the documents that the user has left, and with them the completions accepted there: what follows
// the same words in another file is often what is wanted next.
import type { Engine } from '../../native/index.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { tokenizeText } from './fim-prompt.ts';
import { holdsSecrets } from './secrets.ts';

// About 14,000 tokens: the engine remembers four such documents.
const maxChars = 50_000;

/** Belongs to one engine. */
export class LeftDocuments {
  private current: OpenDocument | null = null;
  private readonly learned = new Map<string, number>();

  constructor(private readonly engine: Engine) {}

  /** The user is in this document. */
  visit(document: OpenDocument): void {
    const left = this.current;
    this.current = document;
    if (left === null || left.uri === document.uri || this.learned.get(left.uri) === left.version) return;
    this.learned.set(left.uri, left.version);
    const text = left.text.slice(0, maxChars);
    if (holdsSecrets(left.uri, text)) return;
    // Drafts only save time: what is wrong with the engine shows at the next request.
    this.engine.learn(tokenizeText(this.engine, text)).catch(() => undefined);
  }

  forget(uri: string): void {
    this.learned.delete(uri);
  }
}
