// The rows of the "Choose Model" list: their order and their text.
import { l10n } from 'vscode';
import type {
  DownloadableModel,
  Estimate,
  LocalModel,
  ModelFacts,
  ModelList,
} from '../../language-server/protocol/models.ts';

export type Choice =
  | { kind: 'local'; model: LocalModel }
  | { kind: 'remote'; model: DownloadableModel }
  | { kind: 'file' }
  | { kind: 'starter' };

export type Row = { section: string } | { label: string; description: string; detail: string; choice: Choice };

/** The models chosen in the settings. */
export interface CurrentModels {
  /** Empty: the starter model. */
  path: string;
  /** Empty: the model at `path` explains, too. */
  explainPath: string;
}

export function modelRows({ local, remote, recommended }: ModelList, current: CurrentModels): Row[] {
  const rowOf = (model: LocalModel | DownloadableModel) => modelRow(model, current);
  const isBest = ({ id }: ModelFacts) => id === recommended;
  return [
    // A section's name shortens both lines of its first row, so it is a short one.
    ...section(l10n.t('Recommended'), [...local, ...remote].filter(isBest).map(rowOf)),
    ...section(l10n.t('On This Machine'), local.filter((model) => !isBest(model)).map(rowOf)),
    ...section(l10n.t('Can Be Downloaded'), remote.filter((model) => !isBest(model)).map(rowOf)),
    ...section(l10n.t('Others'), [
      { label: l10n.t('$(folder-opened) A File…'), description: 'GGUF', detail: '', choice: { kind: 'file' } },
      {
        label: mark(current.path === '') + l10n.t('The Starter Model'),
        description: l10n.t('comes with Hearth'),
        detail: '',
        choice: { kind: 'starter' },
      },
    ]),
  ];
}

const section = (name: string, rows: Row[]): Row[] => (rows.length > 0 ? [{ section: name }, ...rows] : []);

function modelRow(
  model: LocalModel | DownloadableModel,
  { path: currentPath, explainPath }: CurrentModels,
): Exclude<Row, { section: string }> {
  const facts = [model.quantization, gigabytes(model.fileBytes), licenceText(model)].filter(Boolean).join(' · ');
  const detail = [estimateText(model.estimate), model.note].filter(Boolean).join('. ');
  if ('path' in model) {
    const { path, name, owner } = model;
    const choice: Choice = { kind: 'local', model };
    const label = `${mark(path === currentPath)}${path === explainPath ? '$(comment-discussion) ' : ''}${name}`;
    return { label, description: `${facts} · ${owner}`, detail, choice };
  }
  const label = `$(cloud-download) ${model.name}`;
  return { label, description: facts, detail, choice: { kind: 'remote', model } };
}

const mark = (isCurrent: boolean) => (isCurrent ? '$(check) ' : '');

const licenceText = ({ licence, isForResearchOnly }: ModelFacts): string =>
  isForResearchOnly ? l10n.t('{0}: for research only', licence) : licence;

/** "~45 tokens/s, 1.2 GB of memory, first text in ~80 ms" */
export function estimateText({ tokensPerSecond, memoryBytes, firstTextMs }: Estimate): string {
  const parts = [l10n.t('{0} of memory', gigabytes(memoryBytes))];
  if (tokensPerSecond !== null) parts.unshift(l10n.t('~{0} tokens/s', rounded(tokensPerSecond)));
  if (firstTextMs !== null) parts.push(l10n.t('first text in ~{0} ms', rounded(firstTextMs)));
  return parts.join(', ');
}

/** The question before a download. Nothing is sent before the user has confirmed it. host: who will be contacted. */
export function downloadQuestion(model: DownloadableModel, host: string) {
  const { name, quantization, fileBytes, licence, isForResearchOnly, file } = model;
  const terms = isForResearchOnly
    ? l10n.t('Its license ({0}) forbids commercial use.', licence)
    : l10n.t('License: {0}.', licence);
  const check =
    file.sha256 === null
      ? l10n.t('Hearth knows no SHA-256 digest of this file. Only its approximate length is checked.')
      : l10n.t('The file is verified by its SHA-256 digest.');
  const message = l10n.t('Download {0} {1} ({2}) from {3}?', name, quantization, gigabytes(fileBytes), host);
  return { message, detail: `${terms} ${check}` };
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

/** Two significant digits: the estimates are no more precise. */
const rounded = (value: number) => (value < 10 ? value.toFixed(1) : String(Number(value.toPrecision(2))));
