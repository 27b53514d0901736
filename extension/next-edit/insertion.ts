// Shows an edit that only inserts text at the cursor as ordinary ghost text if VS Code can. Then a screen reader reads
// it aloud, and the user can accept it whole or word by word.
import { InlineCompletionItem, Position, Range, type TextDocument, type TextEditor } from 'vscode';
import type { EditOffer } from './offered-edit.ts';
import { allChanges } from './rebase.ts';

/**
 * The command that VS Code runs when the user has accepted the whole insertion. Its argument is the number of inserted
 * characters.
 */
export const insertedCommand = 'hearth.editInserted';

/** Like insertionAt(), for the editor's cursor. */
export function insertionIn(offer: EditOffer, { document, selection }: TextEditor): InlineCompletionItem | null {
  return insertionAt(offer, document, selection.active);
}

/** The edit as ghost text. Null unless the user has jumped to it, and all it does is insert text at the position. */
export function insertionAt(offer: EditOffer, document: TextDocument, position: Position): InlineCompletionItem | null {
  const { state, edit } = offer;
  const [only, ...others] = edit ? allChanges(edit) : [];
  if (state.kind !== 'jumped' || edit?.uri !== document.uri.toString() || !only || others.length > 0) return null;
  const { start, end } = only.range;
  const at = new Position(start.line, start.character);
  if (!at.isEqual(new Position(end.line, end.character)) || !at.isEqual(position)) return null;
  // VS Code shows ghost text of several lines only at the end of a line.
  const isBeforeText = document.lineAt(position.line).text.slice(position.character).trim() !== '';
  if (isBeforeText && only.text.includes('\n')) return null;
  const item = new InlineCompletionItem(only.text, new Range(at, at));
  item.command = { title: '', command: insertedCommand, arguments: [only.text.length] };
  return item;
}
