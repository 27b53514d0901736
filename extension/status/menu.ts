// The menu of the status bar item: first the command that fixes the current problem, then the most frequent commands.
import { commands, l10n, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Client } from '../connection/client.ts';
import { languageName } from '../pages/language-name.ts';
import type { DocumentModes } from '../settings/document-mode.ts';
import type { RecentRequests } from './recent-requests.ts';
import { currentStatus } from './status-bar.ts';
import { betterModel, fixCommand, starterText, statusLabel } from './status-text.ts';

type Entry = QuickPickItem & { command?: string; arguments?: unknown[] };

/** A row that turns suggestions on or off. If they are off, a blank icon keeps the labels aligned. */
const toggle = (isOn: boolean, label: string, ...given: string[]): Entry =>
  entry(`$(${isOn ? 'check' : 'blank'}) ${label}`, 'hearth.toggle', ...given);

const separator: Entry = { label: '', kind: QuickPickItemKind.Separator };
const entry = (label: string, command: string, ...given: unknown[]): Entry => ({ label, command, arguments: given });

/** Shows the menu and runs the chosen command. Resolves to true if the user has chosen one. */
export async function showMenu(client: Client, modes: DocumentModes, requests: RecentRequests): Promise<boolean> {
  const status = currentStatus(client, modes, requests);
  const fix = fixCommand(status);
  const better = betterModel(status);
  const entries: Entry[] = [
    ...(fix && fix.command !== 'hearth.toggle' ? [{ ...fix, label: `$(wrench) ${fix.title}` }, separator] : []),
    ...(better ? [{ ...better, label: `$(sparkle) ${better.title}`, detail: starterText() }, separator] : []),
    ...toggles(modes, status.offFor !== undefined),
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
  return chosen !== undefined;
}

/**
 * A row for all files, and a row for the active document's language. isLanguageFirst: whether the latter comes first.
 */
function toggles(modes: DocumentModes, isLanguageFirst: boolean): Entry[] {
  const all = toggle(modes.general !== 'off', l10n.t('Suggestions'));
  const document = window.activeTextEditor?.document;
  if (!document) return [all];
  const { languageId } = document;
  const isOn = modes.of(document).reason !== 'off';
  const oneLanguage = toggle(isOn, l10n.t('Suggestions in {0}', languageName(languageId)), languageId);
  return isLanguageFirst ? [oneLanguage, all] : [all, oneLanguage];
}
