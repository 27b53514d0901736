// Where a request wants text, as a document with a cursor; and the way back, from a suggestion to LSP's item.
import type { InlineCompletionContext, InlineCompletionItem, Position, Range } from 'vscode-languageserver/node';
import type { OpenDocument } from '../documents/open-document.ts';
import type { Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';

export interface RequestedPlace {
  document: CursorDocument;
  /** The selected entry of the suggest widget, with which the ghost text must begin. */
  selected: string;
  /** What the item takes the place of, before the suggestion's own `replaces`. */
  range: Range;
}

/** With the suggest widget open, the document is completed as if its selected entry had been accepted. */
export function requestedPlace(
  document: OpenDocument,
  position: Position,
  context: InlineCompletionContext,
): RequestedPlace {
  const { uri, languageId, text } = document;
  const info = context.selectedCompletionInfo;
  if (!info) {
    const offset = document.offsetAt(position);
    return { document: { uri, languageId, text, offset }, selected: '', range: { start: position, end: position } };
  }
  const start = document.offsetAt(info.range.start);
  const accepted = text.with(start, document.offsetAt(info.range.end), info.text);
  const offset = start + info.text.length;
  return { document: { uri, languageId, text: accepted, offset }, selected: info.text, range: info.range };
}

export function toItem({ selected, range }: RequestedPlace, { text, replaces }: Suggestion): InlineCompletionItem {
  const end = { line: range.end.line, character: range.end.character + replaces };
  return { insertText: selected + text, range: { start: range.start, end } };
}
