// One item on the right of the status bar; a click opens the full status.
import { type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { ServerStatus } from '../language-server/protocol.ts';
import type { Client } from './client.ts';
import { statusLabel, statusText, statusTooltip, tooltipCommands } from './status-text.ts';

export class StatusBar implements Disposable {
  private readonly item = window.createStatusBarItem('hearth.status', StatusBarAlignment.Right, 100);
  private readonly subscription: Disposable;

  constructor(client: Client) {
    this.item.name = 'Hearth';
    this.item.command = 'hearth.showStatus';
    this.subscription = client.onStatus((status) => this.show(status));
    this.show(client.status);
    this.item.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private show(status: ServerStatus): void {
    const tooltip = new MarkdownString(statusTooltip(status), true);
    tooltip.isTrusted = { enabledCommands: Object.keys(tooltipCommands) };
    this.item.text = statusText(status);
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: statusLabel(status) };
    this.item.backgroundColor = status.health === 'error' ? new ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}
