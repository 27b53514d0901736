// Jumps to an edit, and applies it.
import { Range, Selection, type TextEditor, TextEditorRevealType, Uri, window } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { allChanges } from './rebase.ts';

/** Puts the cursor at the first word that changes. VS Code's "Go Back" goes back to the place before. */
export async function goTo(edit: NextEdit): Promise<TextEditor> {
  const { line, character } = edit.changes[0]?.range.start ?? edit.range.start;
  const editor = await editorOf(edit);
  putCursor(editor, line, character);
  return editor;
}

/**
 * Applies the edit as one undo step, and puts the cursor after the last word that the edit writes. False if it cannot
 * be applied.
 */
export async function applyIn(edit: NextEdit): Promise<boolean> {
  const editor = await editorOf(edit);
  if (editor.document.version !== edit.version) return false;
  const isDone = await editor.edit((builder) => {
    for (const { range, text } of allChanges(edit))
      builder.replace(new Range(range.start.line, range.start.character, range.end.line, range.end.character), text);
  });
  if (!isDone) return false;
  const { line, character } = endOfEdit(edit);
  putCursor(editor, line, character);
  return true;
}

/** The position in the document after the edit at which the edit's last change ends. */
export function endOfEdit({ range, changes, newText, oldText }: NextEdit): { line: number; character: number } {
  const last = changes.at(-1)?.range.end ?? range.end;
  // The edit may begin in the middle of a line.
  const indexIn = (line: number, character: number) => character - (line === 0 ? range.start.character : 0);
  // The text after the last change is the same in the old and the new text.
  const lines = oldText.split('\n');
  const line = last.line - range.start.line;
  const tail = [lines[line]?.slice(indexIn(line, last.character)) ?? '', ...lines.slice(line + 1)].join('\n');
  const written = newText.slice(0, newText.length - tail.length).split('\n');
  const end = written.length - 1;
  return { line: range.start.line + end, character: (written[end]?.length ?? 0) - indexIn(end, 0) };
}

function putCursor(editor: TextEditor, line: number, character: number): void {
  const cursor = new Selection(line, character, line, character);
  editor.selection = cursor;
  editor.revealRange(cursor, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Opens the edit's document in the editor group that shows it already, or else in the active group. */
async function editorOf({ uri }: NextEdit): Promise<TextEditor> {
  const showsEdit = ({ document }: TextEditor) => document.uri.toString() === uri;
  const active = window.activeTextEditor;
  if (active && showsEdit(active)) return active;
  const viewColumn = window.visibleTextEditors.find(showsEdit)?.viewColumn;
  return window.showTextDocument(Uri.parse(uri), { ...(viewColumn && { viewColumn }), preview: false });
}
