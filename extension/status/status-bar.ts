// The status bar item, on the right. A click opens the menu.
import { type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window, workspace } from 'vscode';
import type { Client } from '../connection/client.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import type { RecentRequests } from './recent-requests.ts';
import { betterModel, fixCommand, type Status, statusLabel, statusText, statusTooltip } from './status-text.ts';

export class StatusBar implements Disposable {
  private readonly item = window.createStatusBarItem('hearth.status', StatusBarAlignment.Right, 100);
  private readonly subscriptions: Disposable[];

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
    private readonly requests: RecentRequests,
  ) {
    this.item.name = 'Hearth';
    this.item.command = 'hearth.showMenu';
    const show = () => this.show();
    this.subscriptions = [
      client.onStatus(show),
      modes.onChange(show),
      window.onDidChangeActiveTextEditor(show),
      // VS Code reports a changed language as if the document had been opened.
      workspace.onDidOpenTextDocument(show),
    ];
    this.show();
    this.item.show();
  }

  dispose(): void {
    for (const disposable of [...this.subscriptions, this.item]) disposable.dispose();
  }

  private show(): void {
    const status = currentStatus(this.client, this.modes, this.requests);
    const tooltip = new MarkdownString(statusTooltip(status), true);
    // The tooltip's links may run only these commands.
    const enabledCommands = [fixCommand(status), betterModel(status)].flatMap((link) => link?.command ?? []);
    tooltip.isTrusted = enabledCommands.length > 0 ? { enabledCommands } : false;
    this.item.text = statusText(status);
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: statusLabel(status), role: 'button' };
    this.item.backgroundColor = status.health === 'error' ? new ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** The status for the file in the active editor. */
export function currentStatus({ status }: Client, modes: DocumentModes, { isTooSlow }: RecentRequests): Status {
  const document = window.activeTextEditor?.document;
  // 'shown': nothing prevents suggestions.
  const reason = document ? modes.of(document).reason : 'shown';
  if (status.health === 'error') return status;
  if (reason === 'excluded' || reason === 'secrets-file' || reason === 'message')
    return { ...status, health: 'off', pause: reason };
  if (reason === 'off')
    return status.health === 'off' || !document
      ? { ...status, health: 'off' }
      : { ...status, health: 'off', offFor: document.languageId };
  // Suggestions are off in general, but not for this document's language.
  const isOnHere = document && status.health === 'off';
  const current: Status = { ...status, isTooSlow, ...(isOnHere && { health: 'ready' }) };
  return reason === 'shown' ? current : { ...current, pause: reason, snoozeEnd: modes.snoozeEnd };
}
