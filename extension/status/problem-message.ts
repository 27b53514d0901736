// Shows one message for each problem that stops suggestions, with a button that fixes it. The status bar keeps showing
// the problem.
import { commands, type Disposable, l10n, window } from 'vscode';
import type { Client } from '../connection/client.ts';
import { fixCommand } from './status-text.ts';

export function showProblems(client: Client): Disposable {
  let shownMessage = '';
  return client.onStatus(async (status) => {
    const { health, message } = status;
    if (health === 'ready' || health === 'off') shownMessage = '';
    if (health !== 'error' || !message || message === shownMessage) return;
    shownMessage = message;
    const fix = fixCommand(status);
    const actions = [...(fix ? [fix] : []), { command: 'hearth.showLog', title: l10n.t('Show Log') }];
    const chosen = await window.showErrorMessage(`Hearth: ${withoutLinks(message)}`, ...actions);
    if (chosen) await commands.executeCommand(chosen.command);
  });
}

/**
 * VS Code turns "[text](command:…)" into a link that runs a command, and parts of the message may come from a model's
 * file.
 */
const withoutLinks = (message: string) => message.replaceAll('](', '] (');
