// Registers the commands that the Command Palette lists. Other files implement most of them.
import { join } from 'node:path';
import { commands, Disposable, type ExtensionContext, l10n, type QuickPickItem, window, workspace } from 'vscode';
import { doctorRequest } from '../language-server/protocol/messages.ts';
import { modelsRequest } from '../language-server/protocol/models.ts';
import { type Client, serverTokenKey } from './connection/client.ts';
import type { ExplainSelection } from './explain/explain-selection.ts';
import { type ChooseModelHost, chooseModel } from './models/choose-model.ts';
import { useRecommended } from './models/recommended-model.ts';
import type { VirtualDocuments } from './pages/virtual-documents.ts';
import { section, updateSetting } from './settings/config.ts';
import type { DocumentModes } from './settings/document-mode.ts';
import { toggleMode } from './settings/mode-switch.ts';
import type { StatisticsPanel } from './statistics/statistics-panel.ts';
import { showMenu } from './status/menu.ts';
import type { RecentRequests } from './status/recent-requests.ts';
import { statusReport } from './status/status-report.ts';

export interface Features {
  context: ExtensionContext;
  client: Client;
  modes: DocumentModes;
  documents: VirtualDocuments;
  explain: ExplainSelection;
  requests: RecentRequests;
  statistics: StatisticsPanel;
}

const snoozeMinutes = [5, 15, 30, 60];

export function registerCommands(features: Features): Disposable {
  const { context, client, modes, documents, explain, requests, statistics } = features;
  const handlers: Record<string, (argument?: unknown) => Promise<void> | void> = {
    'hearth.showMenu': async () => {
      if (await showMenu(client, modes, requests)) await completeStep('hasSeenStatus');
    },
    'hearth.toggle': (languageId) => toggle(context, typeof languageId === 'string' ? languageId : undefined),
    'hearth.snooze': (minutes) => snooze(modes, minutes),
    'hearth.whyNoSuggestion': async () => {
      await requests.show();
      await completeStep('hasSeenStatus');
    },
    'hearth.explainSelection': () => explain.run(),
    'hearth.selectModel': () => chooseModel(modelHost(context, client)),
    'hearth.useRecommendedModel': () => useRecommended(modelHost(context, client)),
    'hearth.setServerToken': () => setServerToken(context, client),
    'hearth.showStatistics': () => statistics.show(),
    'hearth.showLog': () => client.channel.show(),
    'hearth.restartServer': () => client.restart(),
    'hearth.showStatus': () => showStatus(client, documents),
  };
  return Disposable.from(...Object.entries(handlers).map(([id, run]) => commands.registerCommand(id, run)));
}

/** Turns suggestions on or off. languageId: the language of the active document; undefined for all languages. */
async function toggle({ globalState }: ExtensionContext, languageId: string | undefined): Promise<void> {
  const uri = window.activeTextEditor?.document.uri;
  await toggleMode(globalState, languageId === undefined ? undefined : { languageId, uri });
}

/** minutes: a number from a key binding or the menu; 0 ends the snooze. Without a number, the user is asked. */
async function snooze(modes: DocumentModes, minutes: unknown): Promise<void> {
  if (typeof minutes === 'number') return modes.snooze(minutes);
  const entries: (QuickPickItem & { minutes: number })[] = snoozeMinutes.map((choice) => ({
    label: l10n.t('{0} minutes', choice),
    minutes: choice,
  }));
  const chosen = await window.showQuickPick(entries, { title: l10n.t('Snooze Suggestions') });
  if (chosen) modes.snooze(chosen.minutes);
}

/** Marks a step of the walkthrough as completed. */
const completeStep = (step: 'hasChosenModel' | 'hasSeenStatus') =>
  commands.executeCommand('setContext', `hearth.${step}`, true);

/** Gives the list of models access to the server, the settings and the log. */
export function modelHost(context: ExtensionContext, client: Client): ChooseModelHost {
  const config = workspace.getConfiguration(section);
  const folder = join(context.globalStorageUri.fsPath, 'models');
  return {
    models: () => client.request(modelsRequest, { downloadFolder: folder }),
    folder,
    mirror: config.get('download.mirror', ''),
    log: client.log,
    current: { path: config.get('model.path', ''), explainPath: config.get('explain.model', '') },
    use: async (path, purpose) => {
      if (purpose !== 'explanations') await updateSetting('model.path', path);
      if (purpose !== 'completion') await updateSetting('explain.model', purpose === 'both' ? '' : path);
      await completeStep('hasChosenModel');
    },
  };
}

async function setServerToken({ secrets }: ExtensionContext, client: Client): Promise<void> {
  const prompt = l10n.t(
    'The token for the server in "hearth.server.url". It can also be user:password or a header "Name: value"; or "@" and a file that contains one of these, or "!" and a command that prints one. Leave it empty to remove the token.',
  );
  const token = await window.showInputBox({ title: l10n.t('Set Server Token'), prompt, password: true });
  if (token === undefined) return;
  await (token === '' ? secrets.delete(serverTokenKey) : secrets.store(serverTokenKey, token));
  await client.restart();
}

async function showStatus(client: Client, documents: VirtualDocuments): Promise<void> {
  const report = await client.request(doctorRequest, {}).catch((error: Error) => error.message);
  await documents.show('Hearth Status.txt', statusReport(client.status, report));
}
