// The server offers ghost text while it is still being written, and says when the rest has come: then the editor asks
// for it, unless the user has gone on.
import { commands, window } from 'vscode';
import type { GrownParams } from '../language-server/protocol.ts';

export async function askAgain({ uri, version, position }: GrownParams): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor || editor.document.uri.toString() !== uri || editor.document.version !== version) return;
  const { line, character } = editor.selection.active;
  if (line !== position.line || character !== position.character) return;
  await commands.executeCommand('editor.action.inlineSuggest.trigger');
}
