// A document that is open in the editor, with its current text. Positions outside the text, which a client may send,
// are moved to the nearest valid one.
import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import { LongText } from './long-text.ts';

export class OpenDocument {
  private constructor(
    readonly uri: string,
    readonly languageId: string,
    public version: number,
    /** The current text. It is immutable, so a reference to it is a snapshot. */
    public text: LongText,
  ) {}

  static create(uri: string, languageId: string, version: number, text: string): OpenDocument {
    return new OpenDocument(uri, languageId, version, LongText.of(text));
  }

  /** Each change applies to the text that the previous one has left. */
  static update(document: OpenDocument, changes: TextDocumentContentChangeEvent[], version: number): OpenDocument {
    for (const change of changes)
      document.text = 'range' in change ? document.edited(change.range, change.text) : LongText.of(change.text);
    document.version = version;
    return document;
  }

  offsetAt({ line, character }: Position): number {
    const { text } = this;
    if (line >= text.lineCount) return text.length;
    if (!(line >= 0)) return 0;
    const start = text.lineStart(Math.floor(line));
    const wanted = Math.max(0, Math.floor(character) || 0);
    const beforeCursor = text.slice(start, start + wanted);
    const lineEnd = beforeCursor.search(/[\r\n]/);
    return start + (lineEnd === -1 ? beforeCursor.length : lineEnd);
  }

  positionAt(offset: number): Position {
    const { text } = this;
    const within = Math.max(0, Math.min(offset, text.length));
    const line = text.lineAt(within);
    const beforeCursor = text.slice(text.lineStart(line), within);
    const lineEnd = beforeCursor.search(/[\r\n]/);
    return { line, character: lineEnd === -1 ? beforeCursor.length : lineEnd };
  }

  private edited({ start, end }: Range, inserted: string): LongText {
    const offsets = [this.offsetAt(start), this.offsetAt(end)].sort((a, b) => a - b);
    const [from = 0, to = 0] = offsets;
    return this.text.with(from, to, inserted);
  }
}
