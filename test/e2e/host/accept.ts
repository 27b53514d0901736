import { setTimeout as sleep } from 'node:timers/promises';
import { commands, type TextDocument } from 'vscode';

const shownWithinMs = 30_000;

/**
 * Requests a suggestion at the cursor and accepts it. If none comes, the document stays as it is. No event says when
 * ghost text is shown, so this tries to accept until the document changes; without ghost text, that does nothing.
 */
export async function accept(document: TextDocument): Promise<void> {
  const { version } = document;
  await commands.executeCommand('editor.action.inlineSuggest.trigger');
  for (const end = Date.now() + shownWithinMs; document.version === version && Date.now() < end; await sleep(10))
    await commands.executeCommand('editor.action.inlineSuggest.commit');
}
