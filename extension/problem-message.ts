// Tells the user once about each problem that stops completions. The status bar keeps showing it.
import { commands, type Disposable, window } from 'vscode';
import type { Client } from './client.ts';

const actions = new Map([
  ['Show Log', 'hearth.showLog'],
  ['Restart Server', 'hearth.restartServer'],
]);

export function showProblems(client: Client): Disposable {
  let shown = '';
  return client.onStatus(async ({ health, message }) => {
    if (health === 'ready' || health === 'off') shown = '';
    if (health !== 'error' || !message || message === shown) return;
    shown = message;
    const action = await window.showErrorMessage(`Hearth: ${message}`, ...actions.keys());
    if (action) await commands.executeCommand(actions.get(action) as string);
  });
}
