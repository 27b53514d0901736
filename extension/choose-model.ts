// "Hearth: Choose Model": the list, the choice, a download if it needs one, and the setting.
import { l10n, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { ModelList, RemoteModel } from '../language-server/models/messages.ts';
import { type DownloadPlace, downloadModel } from './model-download.ts';
import { type Choice, downloadQuestion, modelRows, type Row } from './model-rows.ts';

export interface ChooseModelHost extends DownloadPlace {
  models: () => Promise<ModelList>;
  /** What "hearth.model.path" says; empty: the starter model. */
  currentPath: string;
  use: (path: string) => Promise<void>;
}

export async function chooseModel(host: ChooseModelHost): Promise<void> {
  const choice = await pick(host);
  const path = choice && (await pathOf(choice, host));
  if (path !== undefined) await host.use(path);
}

async function pick({ models, currentPath, log }: ChooseModelHost): Promise<Choice | undefined> {
  // Without a server a file can be chosen all the same.
  const list = models().catch((error: unknown): ModelList => {
    log.warn(`listing the models failed: ${String(error)}`);
    return { local: [], remote: [] };
  });
  const items = list.then((models) => modelRows(models, currentPath).map(item));
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Choose a Model for Hearth'),
    placeHolder: l10n.t('Base models complete code, instruct models explain it'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.choice;
}

type Item = QuickPickItem & { choice?: Choice };

const item = (row: Row): Item => ('section' in row ? { label: row.section, kind: QuickPickItemKind.Separator } : row);

function pathOf(choice: Choice, host: ChooseModelHost): Promise<string | undefined> | string {
  if (choice.kind === 'local') return choice.path;
  if (choice.kind === 'starter') return '';
  return choice.kind === 'file' ? chooseFile() : askAndDownload(choice.model, host);
}

async function chooseFile(): Promise<string | undefined> {
  const files = await window.showOpenDialog({
    title: l10n.t('Choose a Model for Hearth'),
    openLabel: l10n.t('Use This Model'),
    filters: { [l10n.t('GGUF models')]: ['gguf'] },
  });
  return files?.[0]?.fsPath;
}

async function askAndDownload(model: RemoteModel, host: ChooseModelHost): Promise<string | undefined> {
  const { message, detail } = downloadQuestion(model);
  const yes = l10n.t('Download');
  const answer = await window.showInformationMessage(message, { modal: true, detail }, yes);
  return answer === yes ? downloadModel(model, host) : undefined;
}
