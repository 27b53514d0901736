// The rows of the "Choose Model" list: their order and their text.
import { basename } from 'node:path';
import { l10n } from 'vscode';
import type {
  ChosenAdapter,
  DownloadableModel,
  LocalModel,
  ModelFacts,
  ModelList,
} from '../../language-server/protocol/models.ts';
import { abilityText, gigabytes } from './model-words.ts';

export type Choice =
  | { kind: 'local'; model: LocalModel }
  | { kind: 'remote'; model: DownloadableModel }
  | { kind: 'file' }
  | { kind: 'starter' }
  /** Keep the model in use. */
  | { kind: 'current' }
  /** Measure this machine again. */
  | { kind: 'again' };

export interface ModelRow {
  label: string;
  description: string;
  detail: string;
  choice: Choice;
}

export type Row = { section: string } | ModelRow;

/** The models that the settings name. */
export interface CurrentModels {
  /** '' for the starter model. */
  path: string;
  /** '' if the model at `path` explains, too. */
  explainPath: string;
}

export function modelRows({ local, remote, recommended, isBusy }: ModelList, current: CurrentModels): Row[] {
  const isCurrent = (model: ModelFacts) => 'path' in model && model.path === current.path;
  const isBest = ({ id }: ModelFacts) => id === recommended;
  const rowsOf = (models: (LocalModel | DownloadableModel)[]) => models.map((model) => modelRow(model, current));
  const isOther = (model: ModelFacts) => !isBest(model) && !isCurrent(model);
  const inUse = local.find(isCurrent);
  // VS Code writes a section's name into the section's first row and shortens that row's text, so the names are short.
  return [
    ...section(inUse && isBest(inUse) ? l10n.t('In Use, Recommended') : l10n.t('In Use'), [
      ...(inUse ? rowsOf([inUse]) : [current.path === '' ? starterRow(true) : elsewhereRow(current.path)]),
    ]),
    ...section(
      l10n.t('Recommended'),
      rowsOf([...local, ...remote].filter((model) => isBest(model) && !isCurrent(model))),
    ),
    ...(isBusy ? [busyRow()] : []),
    ...section(l10n.t('On This Machine'), rowsOf(local.filter(isOther))),
    ...section(l10n.t('For Download'), rowsOf(remote.filter(isOther))),
    ...section(l10n.t('Others'), [
      { label: l10n.t('$(folder-opened) A File…'), description: 'GGUF', detail: '', choice: { kind: 'file' } },
      ...(current.path === '' ? [] : [starterRow(false)]),
    ]),
  ];
}

const section = (name: string, rows: Row[]): Row[] => (rows.length > 0 ? [{ section: name }, ...rows] : []);

function modelRow(model: LocalModel | DownloadableModel, { path: currentPath, explainPath }: CurrentModels): ModelRow {
  const facts = [model.quantization, gigabytes(model.fileBytes), licenceText(model)].filter(Boolean).join(' · ');
  const detail = abilityText(model);
  if ('path' in model) {
    const { path, name, owner, adapters = [] } = model;
    const choice: Choice = { kind: 'local', model };
    const label = `${mark(path === currentPath)}${path === explainPath ? '$(comment-discussion) ' : ''}${name}`;
    const details = [detail, ...adapters.map(adapterText)];
    return { label, description: `${facts} · ${owner}`, detail: details.filter(Boolean).join('. '), choice };
  }
  const label = `$(cloud-download) ${model.name}`;
  return { label, description: facts, detail, choice: { kind: 'remote', model } };
}

function starterRow(isCurrent: boolean): ModelRow {
  return {
    label: mark(isCurrent) + l10n.t('The Starter Model'),
    description: l10n.t('comes with Hearth'),
    detail: l10n.t('Comes while you type, finishes lines, knows little'),
    choice: { kind: 'starter' },
  };
}

/** The row of the model in use if its file is in none of the searched folders. */
const elsewhereRow = (path: string): ModelRow => ({
  label: mark(true) + basename(path),
  description: '',
  detail: path,
  choice: { kind: 'current' },
});

const busyRow = (): ModelRow => ({
  label: l10n.t('$(watch) This Machine Is Busy'),
  description: '',
  detail: l10n.t('Models are faster than estimated here. Choose this to measure again.'),
  choice: { kind: 'again' },
});

const adapterText = ({ name, fits }: ChosenAdapter): string =>
  fits ? l10n.t('With your adapter {0}', name) : l10n.t("Your adapter {0} can't be loaded with it", name);

const mark = (isCurrent: boolean) => (isCurrent ? '$(check) ' : '');

const licenceText = ({ licence, isForResearchOnly }: ModelFacts): string =>
  isForResearchOnly ? l10n.t('{0}: for research only', licence) : licence;
