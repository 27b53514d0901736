// The menu of the status bar item: first the command that fixes the current problem, then what people change most.
import { commands, l10n, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Client } from '../connection/client.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import type { RecentRequests } from './recent-requests.ts';
import { currentStatus } from './status-bar.ts';
import { fixCommand, statusLabel } from './status-text.ts';

type Entry = QuickPickItem & { command?: string; arguments?: unknown[] };

const separator: Entry = { label: '', kind: QuickPickItemKind.Separator };

export async function showMenu(client: Client, modes: DocumentModes, requests: RecentRequests): Promise<void> {
  const status = currentStatus(client, modes, requests);
  const fix = fixCommand(status);
  const languageId = window.activeTextEditor?.document.languageId;
  const entries: Entry[] = [
    ...(fix ? [{ ...fix, label: `$(wrench) ${fix.title}` }, separator] : []),
    { label: l10n.t('$(circle-slash) Turn Suggestions On or Off'), command: 'hearth.toggle' },
    ...(languageId
      ? [
          {
            label: l10n.t('$(code) Turn On or Off for "{0}"', languageId),
            command: 'hearth.toggle',
            arguments: [languageId],
          },
        ]
      : []),
    modes.snoozeEnd
      ? { label: l10n.t('$(debug-start) End Snooze'), command: 'hearth.snooze', arguments: [0] }
      : { label: l10n.t('$(debug-pause) Snooze Suggestions…'), command: 'hearth.snooze' },
    {
      label: l10n.t('$(edit) Next Edits…'),
      command: 'workbench.action.openSettings',
      arguments: ['@id:hearth.nextEdit'],
    },
    { label: l10n.t('$(question) Why No Suggestion?'), command: 'hearth.whyNoSuggestion' },
    separator,
    { label: l10n.t('$(package) Choose Model…'), command: 'hearth.selectModel' },
    {
      label: l10n.t('$(settings-gear) Settings'),
      command: 'workbench.action.openSettings',
      arguments: ['@ext:hearth.hearth'],
    },
    separator,
    { label: l10n.t('$(info) Show Status'), command: 'hearth.showStatus' },
    { label: l10n.t('$(graph) Show Statistics'), command: 'hearth.showStatistics' },
    { label: l10n.t('$(output) Show Log'), command: 'hearth.showLog' },
    { label: l10n.t('$(refresh) Restart Server'), command: 'hearth.restartServer' },
  ];
  const chosen = await window.showQuickPick(entries, { title: statusLabel(status) });
  if (chosen?.command) await commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
}
