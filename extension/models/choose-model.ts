// "Hearth: Choose Model": shows the list, asks what the chosen model is for, downloads it if necessary, and changes the
// setting.
import { dirname } from 'node:path';
import { l10n, type QuickPickItem, QuickPickItemKind, Uri, window } from 'vscode';
import type { DownloadableModel, ModelList } from '../../language-server/protocol/models.ts';
import { homeFolder } from '../../language-server/protocol/system.ts';
import { addressOf } from '../download/address.ts';
import { type DownloadPlace, downloadModel } from './model-download.ts';
import { type Choice, type CurrentModels, modelRows, type Row } from './model-rows.ts';
import { downloadQuestion } from './model-words.ts';

export interface ChooseModelHost extends DownloadPlace {
  models: () => Promise<ModelList>;
  current: CurrentModels;
  use: (path: string, purpose: Purpose) => Promise<void>;
}

/** Instruct models explain well but complete badly, so the user can choose one for explanations only. */
export type Purpose = 'completion' | 'explanations' | 'both';

export async function chooseModel(host: ChooseModelHost): Promise<void> {
  const choice = await pick(host);
  const purpose = choice && (await purposeOf(choice));
  const path = purpose && (await pathOf(choice, host));
  if (path !== undefined && purpose !== undefined) await host.use(path, purpose);
}

type Chosen = Exclude<Choice, { kind: 'again' }>;

async function pick(host: ChooseModelHost): Promise<Chosen | undefined> {
  const { models, current, log } = host;
  // If the server is not running, the user can still choose a file.
  const list = models().catch((error: unknown): ModelList => {
    log.warn(`listing the models failed: ${String(error)}`);
    return { local: [], remote: [] };
  });
  const items = list.then((models) => modelRows(models, current).map(item));
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Choose a Model for Hearth'),
    placeHolder: l10n.t('Base models complete code, instruct models explain it'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const choice = picked?.choice;
  return choice?.kind === 'again' ? pick(host) : choice;
}

type Item = QuickPickItem & { choice?: Choice };

const item = (row: Row): Item => ('section' in row ? { label: row.section, kind: QuickPickItemKind.Separator } : row);

async function purposeOf(choice: Chosen): Promise<Purpose | undefined> {
  if (!('model' in choice) || choice.model.kind === 'base') return 'completion';
  const { name, completes } = choice.model;
  if (!completes) return 'explanations';
  const purposes: (QuickPickItem & { purpose: Purpose })[] = [
    {
      label: l10n.t('Explanations Only'),
      detail: l10n.t('The current model continues to complete code. Both must fit into memory.'),
      purpose: 'explanations',
    },
    { label: l10n.t('Completion and Explanations'), purpose: 'both' },
  ];
  const picked = await window.showQuickPick(purposes, { title: l10n.t('What Should {0} Be Used For?', name) });
  return picked?.purpose;
}

function pathOf(choice: Chosen, host: ChooseModelHost): Promise<string | undefined> | string | undefined {
  if (choice.kind === 'local') return choice.model.path;
  if (choice.kind === 'starter') return '';
  if (choice.kind === 'current') return undefined;
  return choice.kind === 'file' ? chooseFile(host) : askAndDownload(choice.model, host);
}

/** Asks for a file. The dialog opens in the folder of the current model. */
async function chooseFile({ current }: ChooseModelHost): Promise<string | undefined> {
  const folder = current.path === '' ? homeFolder() : dirname(current.path);
  const files = await window.showOpenDialog({
    title: l10n.t('Choose a Model for Hearth'),
    openLabel: l10n.t('Use This Model'),
    ...(folder !== '' && { defaultUri: Uri.file(folder) }),
    filters: { [l10n.t('GGUF models')]: ['gguf'] },
  });
  return files?.[0]?.fsPath;
}

export async function askAndDownload(model: DownloadableModel, host: ChooseModelHost): Promise<string | undefined> {
  const { message, detail } = downloadQuestion(model, addressOf(model.file.url, host.mirror).host);
  const yes = l10n.t('Download');
  const answer = await window.showInformationMessage(message, { modal: true, detail }, yes);
  return answer === yes ? downloadModel(model, host) : undefined;
}
