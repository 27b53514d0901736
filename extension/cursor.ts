// Tells the server where the cursor rests, so that the text around it has been read when the next key is pressed.
import { Disposable, window } from 'vscode';
import { type CursorParams, cursorNotification } from '../language-server/protocol.ts';
import type { Client } from './client.ts';

// Longer than between two keys, shorter than a person takes to begin: moving through a file costs nothing.
const restMs = 200;

export function followCursor(client: Client): Disposable {
  let timer: NodeJS.Timeout | undefined;
  let wasReady = false;
  const move = () => {
    clearTimeout(timer);
    timer = setTimeout(() => tellCursor(client), restMs);
  };
  return Disposable.from(
    window.onDidChangeActiveTextEditor(move),
    window.onDidChangeTextEditorSelection(move),
    // A model that has just been loaded has read nothing.
    client.onStatus(({ health }) => {
      const isReady = health === 'ready';
      if (isReady && !wasReady) move();
      wasReady = isReady;
    }),
    new Disposable(() => clearTimeout(timer)),
  );
}

/** The server knows which documents are none of its business. */
function tellCursor(client: Client): void {
  const editor = window.activeTextEditor;
  if (!editor?.selection.isEmpty) return;
  const { line, character } = editor.selection.active;
  const params: CursorParams = { uri: editor.document.uri.toString(), position: { line, character } };
  void client.notify(cursorNotification, params);
}
