// A document that is open in the editor, with its current text. A position outside the text counts as the nearest valid
// one.
import type { Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import { LongText } from './long-text.ts';
import { type Edit, mergedEdit } from './many-changes.ts';

/** A change of a document, with the texts before and after it. The edit's offsets refer to the text before. */
export interface DocumentChange {
  uri: string;
  before: LongText;
  edit: Edit;
  after: LongText;
}

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

  /**
   * Applies changes in order. Each change refers to the text after the previous one. onChange: called for each change,
   * or once with an edit that has the effect of all changes.
   */
  static update(
    document: OpenDocument,
    changes: TextDocumentContentChangeEvent[],
    version: number,
    onChange: (change: DocumentChange) => void = () => {},
  ): OpenDocument {
    const merged = mergedEdit(document.text, changes);
    if (merged) document.apply(merged, onChange);
    else for (const change of changes) document.apply(document.editOf(change), onChange);
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

  private apply(edit: Edit, onChange: (change: DocumentChange) => void): void {
    const before = this.text;
    const isWhole = edit.start === 0 && edit.end === before.length;
    this.text = isWhole ? LongText.of(edit.text) : before.with(edit.start, edit.end, edit.text);
    onChange({ uri: this.uri, before, edit, after: this.text });
  }

  private editOf(change: TextDocumentContentChangeEvent): DocumentChange['edit'] {
    if (!('range' in change)) return { start: 0, end: this.text.length, text: change.text };
    const offsets = [this.offsetAt(change.range.start), this.offsetAt(change.range.end)].sort((a, b) => a - b);
    const [start = 0, end = 0] = offsets;
    return { start, end, text: change.text };
  }
}
