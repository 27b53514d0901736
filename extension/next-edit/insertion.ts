// If an edit only inserts text at the cursor, shows it as ordinary ghost text: a screen reader reads it aloud, and the
// user can accept it whole or word by word.
import { InlineCompletionItem, type Position, Range, type TextDocument, type TextEditor } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import type { EditOffer } from './offered-edit.ts';
import { allChanges } from './rebase.ts';

/** VS Code runs this command when the user has accepted the whole insertion. Its argument: the number of characters. */
export const insertedCommand = 'hearth.editInserted';

/** Like insertionAt(), for the editor's cursor. */
export function insertionIn(offer: EditOffer, { document, selection }: TextEditor): InlineCompletionItem | null {
  return insertionAt(offer, document, selection.active);
}

/** Whether the edit only inserts text at the editor's cursor. */
export function insertsAtCursor(edit: NextEdit, { document, selection }: TextEditor): boolean {
  return edit.uri === document.uri.toString() && insertedAt(edit, selection.active) !== null;
}

/** The edit as ghost text; null unless the user has jumped to it and it only inserts text at the position. */
export function insertionAt(offer: EditOffer, document: TextDocument, position: Position): InlineCompletionItem | null {
  const { state, edit } = offer;
  if (state.kind !== 'jumped' || edit?.uri !== document.uri.toString()) return null;
  const text = insertedAt(edit, position);
  if (text === null) return null;
  // VS Code shows ghost text of several lines only at the end of a line.
  const isBeforeText = document.lineAt(position.line).text.slice(position.character).trim() !== '';
  if (isBeforeText && text.includes('\n')) return null;
  const item = new InlineCompletionItem(text, new Range(position, position));
  item.command = { title: '', command: insertedCommand, arguments: [text.length] };
  return item;
}

/** The text that the edit inserts at the position; null if the edit changes anything else. */
function insertedAt(edit: NextEdit, { line, character }: Position): string | null {
  const [only, ...others] = allChanges(edit);
  if (!only || others.length > 0) return null;
  const isThere = [only.range.start, only.range.end].every((end) => end.line === line && end.character === character);
  return isThere ? only.text : null;
}
