// One item on the right of the status bar; a click opens the menu.
import { type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Client } from './client.ts';
import type { DocumentModes } from './document-mode.ts';
import { mendingCommand, type Status, statusLabel, statusText, statusTooltip } from './status-text.ts';

export class StatusBar implements Disposable {
  private readonly item = window.createStatusBarItem('hearth.status', StatusBarAlignment.Right, 100);
  private readonly subscriptions: Disposable[];

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
  ) {
    this.item.name = 'Hearth';
    this.item.command = 'hearth.showMenu';
    const show = () => this.show();
    this.subscriptions = [client.onStatus(show), modes.onChange(show), window.onDidChangeActiveTextEditor(show)];
    this.show();
    this.item.show();
  }

  dispose(): void {
    for (const each of [...this.subscriptions, this.item]) each.dispose();
  }

  private show(): void {
    const status = currentStatus(this.client, this.modes);
    const tooltip = new MarkdownString(statusTooltip(status), true);
    const mending = mendingCommand(status);
    tooltip.isTrusted = mending ? { enabledCommands: [mending.command] } : false;
    this.item.text = statusText(status);
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: statusLabel(status), role: 'button' };
    this.item.backgroundColor = status.health === 'error' ? new ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** Of the file that the user looks at. */
export function currentStatus({ status }: Client, modes: DocumentModes): Status {
  const document = window.activeTextEditor?.document;
  const reason = document ? modes.of(document).reason : 'shown';
  if (status.health === 'error') return status;
  if (reason === 'excluded') return { ...status, health: 'off', pause: reason };
  if (reason === 'off')
    return status.health === 'off' || !document
      ? { ...status, health: 'off' }
      : { ...status, health: 'off', offFor: document.languageId };
  return reason === 'shown' ? status : { ...status, pause: reason };
}
