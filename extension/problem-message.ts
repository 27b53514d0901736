// Tells the user once about each problem that stops suggestions, with what mends it. The status bar keeps showing it.
import { commands, type Disposable, l10n, window } from 'vscode';
import type { Client } from './client.ts';
import { mendingCommand } from './status-text.ts';

export function showProblems(client: Client): Disposable {
  let shown = '';
  return client.onStatus(async (status) => {
    const { health, message } = status;
    if (health === 'ready' || health === 'off') shown = '';
    if (health !== 'error' || !message || message === shown) return;
    shown = message;
    const mending = mendingCommand(status);
    const actions = [...(mending ? [mending] : []), { command: 'hearth.showLog', title: l10n.t('Show Log') }];
    const chosen = await window.showErrorMessage(`Hearth: ${message}`, ...actions);
    if (chosen) await commands.executeCommand(chosen.command);
  });
}
