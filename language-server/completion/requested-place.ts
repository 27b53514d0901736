// Where a request wants text, as a document with a cursor.
import type { InlineCompletionContext, Position } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CursorDocument } from './text-window.ts';

export interface RequestedPlace {
  document: CursorDocument;
  /** The selected entry of the suggest widget, with which the ghost text must begin. */
  selected: string;
  rangeStart: Position;
  rangeEnd: Position;
}

// With the suggest widget open, the document is completed as if its selected entry had been accepted.
export function requestedPlace(
  document: TextDocument,
  position: Position,
  context: InlineCompletionContext,
): RequestedPlace {
  const { uri, languageId } = document;
  const text = document.getText();
  const info = context.selectedCompletionInfo;
  if (!info) {
    const offset = document.offsetAt(position);
    return { document: { uri, languageId, text, offset }, selected: '', rangeStart: position, rangeEnd: position };
  }
  const start = document.offsetAt(info.range.start);
  const accepted = text.slice(0, start) + info.text + text.slice(document.offsetAt(info.range.end));
  return {
    document: { uri, languageId, text: accepted, offset: start + info.text.length },
    selected: info.text,
    rangeStart: info.range.start,
    rangeEnd: info.range.end,
  };
}
