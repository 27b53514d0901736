// The menu of the status bar item: first the command that fixes the current problem, then what people change most.
import { commands, l10n, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Client } from '../connection/client.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import type { RecentRequests } from './recent-requests.ts';
import { currentStatus } from './status-bar.ts';
import { betterModel, fixCommand, starterText, statusLabel } from './status-text.ts';

type Entry = QuickPickItem & { command?: string; arguments?: unknown[] };

const separator: Entry = { label: '', kind: QuickPickItemKind.Separator };
const entry = (label: string, command: string, ...given: unknown[]): Entry => ({ label, command, arguments: given });

export async function showMenu(client: Client, modes: DocumentModes, requests: RecentRequests): Promise<void> {
  const status = currentStatus(client, modes, requests);
  const fix = fixCommand(status);
  const better = betterModel(status);
  const languageId = window.activeTextEditor?.document.languageId;
  const entries: Entry[] = [
    ...(fix ? [{ ...fix, label: `$(wrench) ${fix.title}` }, separator] : []),
    ...(better ? [{ ...better, label: `$(sparkle) ${better.title}`, detail: starterText() }, separator] : []),
    entry(l10n.t('$(circle-slash) Turn Suggestions On or Off'), 'hearth.toggle'),
    ...(languageId ? [entry(l10n.t('$(code) Turn On or Off for "{0}"', languageId), 'hearth.toggle', languageId)] : []),
    modes.snoozeEnd
      ? entry(l10n.t('$(debug-start) End Snooze'), 'hearth.snooze', 0)
      : entry(l10n.t('$(debug-pause) Snooze Suggestions…'), 'hearth.snooze'),
    entry(l10n.t('$(edit) Next Edits…'), 'workbench.action.openSettings', '@id:hearth.nextEdit'),
    entry(l10n.t('$(question) Why No Suggestion?'), 'hearth.whyNoSuggestion'),
    separator,
    entry(l10n.t('$(package) Choose Model…'), 'hearth.selectModel'),
    entry(l10n.t('$(settings-gear) Settings'), 'workbench.action.openSettings', '@ext:hearth.hearth'),
    separator,
    entry(l10n.t('$(info) Show Status'), 'hearth.showStatus'),
    entry(l10n.t('$(graph) Show Statistics'), 'hearth.showStatistics'),
    entry(l10n.t('$(output) Show Log'), 'hearth.showLog'),
    entry(l10n.t('$(refresh) Restart Server'), 'hearth.restartServer'),
  ];
  const chosen = await window.showQuickPick(entries, { title: statusLabel(status) });
  if (chosen?.command) await commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
}
