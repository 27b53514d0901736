// Takes the user to an edit, and applies it.
import { Range, Selection, type TextEditor, TextEditorRevealType, Uri, window } from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { allChanges } from './rebase.ts';

/** Puts the cursor at the first word that changes. "Go Back" leads back. */
export async function goTo(edit: NextEdit): Promise<TextEditor> {
  const { line, character } = edit.changes[0]?.range.start ?? edit.range.start;
  const editor = await editorOf(edit);
  putCursor(editor, line, character);
  return editor;
}

/** Applies the edit, as one step that can be undone; the cursor is then behind the last word. False if that cannot be done. */
export async function applyIn(edit: NextEdit): Promise<boolean> {
  const editor = await editorOf(edit);
  if (editor.document.version !== edit.version) return false;
  const isDone = await editor.edit((builder) => {
    for (const { range, text } of allChanges(edit))
      builder.replace(new Range(range.start.line, range.start.character, range.end.line, range.end.character), text);
  });
  if (!isDone) return false;
  const { line, character } = behind(edit);
  putCursor(editor, line, character);
  return true;
}

/** Where the last word of the edit ends when it has been applied. */
export function behind({ range, changes, newText, oldText }: NextEdit): { line: number; character: number } {
  const last = changes.at(-1)?.range.end ?? range.end;
  // What is behind the last change is the same before and after.
  const lines = oldText.split('\n');
  const line = last.line - range.start.line;
  const tail = [lines[line]?.slice(last.character) ?? '', ...lines.slice(line + 1)].join('\n');
  const made = newText.slice(0, newText.length - tail.length).split('\n');
  return { line: range.start.line + made.length - 1, character: made.at(-1)?.length ?? 0 };
}

function putCursor(editor: TextEditor, line: number, character: number): void {
  const cursor = new Selection(line, character, line, character);
  editor.selection = cursor;
  editor.revealRange(cursor, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Where the document is visible already; otherwise in the active group. */
async function editorOf({ uri }: NextEdit): Promise<TextEditor> {
  const isOf = ({ document }: TextEditor) => document.uri.toString() === uri;
  const active = window.activeTextEditor;
  if (active && isOf(active)) return active;
  const viewColumn = window.visibleTextEditors.find(isOf)?.viewColumn;
  return window.showTextDocument(Uri.parse(uri), { ...(viewColumn && { viewColumn }), preview: false });
}
