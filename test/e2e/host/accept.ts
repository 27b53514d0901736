import { setTimeout as sleep } from 'node:timers/promises';
import { commands, type TextDocument } from 'vscode';

const shownWithinMs = 30_000;

/**
 * Requests a suggestion at the cursor and accepts it, or leaves the document as it is if none comes. No event tells
 * when ghost text is shown; without ghost text, accepting does nothing.
 */
export async function accept(document: TextDocument): Promise<void> {
  const { version } = document;
  await commands.executeCommand('editor.action.inlineSuggest.trigger');
  for (const end = Date.now() + shownWithinMs; document.version === version && Date.now() < end; await sleep(10))
    await commands.executeCommand('editor.action.inlineSuggest.commit');
}
