// The texts of a status: the status bar's text, its label for screen readers, its Markdown tooltip, and the command
// that fixes the problem.
import { type Command, env, l10n } from 'vscode';
import type { ServerStatus } from '../../language-server/protocol/messages.ts';
import { languageName } from '../pages/language-name.ts';

type ModelInfo = NonNullable<ServerStatus['model']>;

/** The server's status, and why suggestions are paused in the active editor. */
export interface Status extends ServerStatus {
  pause?: 'snoozed' | 'manual' | 'excluded' | 'secrets-file' | 'message';
  snoozeEnd?: Date | null;
  /** Whether the model is too slow on this machine. */
  isTooSlow?: boolean;
  /** The active document's language, if suggestions are off only for this language. */
  offFor?: string;
}

export function statusText(status: Status): string {
  switch (status.health) {
    case 'starting':
      return '$(loading~spin) Hearth';
    case 'loading':
      return `$(loading~spin) Hearth ${percent(status.progress)}`;
    case 'unloaded':
      return '$(moon) Hearth';
    case 'off':
      return '$(circle-slash) Hearth';
    case 'error':
      return '$(error) Hearth';
    case 'ready':
      if (status.pause) return `$(debug-pause) Hearth`;
      return `$(${status.isTooSlow ? 'warning' : 'flame'}) ${readyText(status)}`;
  }
}

/** The speed. For the starter model its name, because a speed means nothing to users who have chosen no model. */
function readyText({ isStarter, decodeTokensPerSecond }: Status): string {
  if (isStarter) return l10n.t('Starter Model');
  return decodeTokensPerSecond ? rate(decodeTokensPerSecond) : 'Hearth';
}

/** The label for screen readers, without icons and abbreviations. */
export function statusLabel(status: Status): string {
  return l10n.t('Hearth, local completion: {0}', summary(status));
}

/** A command that fixes the current problem, with its title; null if there is none. */
export function fixCommand({ health, problem, pause, offFor, isTooSlow }: Status): Command | null {
  if (pause === 'excluded')
    return {
      command: 'workbench.action.openSettings',
      title: l10n.t('Show Excluded Files'),
      arguments: ['hearth.exclude'],
    };
  if (pause === 'secrets-file' || pause === 'message') return null;
  if (health === 'off' && offFor !== undefined)
    return { command: 'hearth.toggle', title: l10n.t('Turn On for {0}', languageName(offFor)), arguments: [offFor] };
  if (health === 'off') return { command: 'hearth.toggle', title: l10n.t('Turn On') };
  if (health === 'ready' && isTooSlow) return smallerModel();
  if (health !== 'error') return null;
  if (problem === 'model') return { command: 'hearth.selectModel', title: l10n.t('Choose Another Model') };
  return { command: 'hearth.restartServer', title: l10n.t('Restart Server') };
}

/** The command that gets users of the starter model a better one; null if another model is in use. */
export function betterModel({ isStarter, health }: Status): Command | null {
  if (!isStarter || health !== 'ready') return null;
  return { command: 'hearth.useRecommendedModel', title: l10n.t('Get a Better Model') };
}

export const starterText = (): string => l10n.t('The starter model can finish lines, but not much more.');

export const smallerModel = (): Command => ({
  command: 'hearth.selectModel',
  title: l10n.t('Choose a Smaller Model'),
});

export function statusTooltip(status: Status): string {
  const rows = [...modelRows(status), ...speedRows(status), ...cacheRows(status)];
  const table = rows.length ? ['| | |', '|:--|:--|', ...rows.map(([name, value]) => `| ${name} | ${value} |`), ''] : [];
  const problems = (status.settingProblems ?? []).map((problem) => `- ${escapeMarkdown(problem)}`);
  const fix = fixCommand(status);
  const better = betterModel(status);
  const links = [
    ...(fix ? [`[${fix.title}](${linkTo(fix)})`] : []),
    ...(better ? [`${escapeMarkdown(starterText())} [${better.title}](${linkTo(better)})`] : []),
  ];
  return [`**Hearth** — ${escapeMarkdown(summary(status))}`, '', ...table, ...problems, '', ...links]
    .join('\n')
    .trimEnd();
}

function linkTo({ command, arguments: values }: Command): string {
  return `command:${command}${values ? `?${encodeURIComponent(JSON.stringify(values))}` : ''}`;
}

export function summary(status: Status): string {
  const { health, progress, message, pause, offFor, onlyExplains, decodeTokensPerSecond } = status;
  switch (health) {
    case 'starting':
      return message ?? l10n.t('starting');
    case 'loading':
      return l10n.t('loading the model, {0}', percent(progress));
    case 'unloaded':
      return l10n.t('the model is unloaded until you type again');
    case 'off':
      if (pause === 'excluded') return l10n.t('turned off for this file');
      if (pause === 'secrets-file') return l10n.t('turned off for this file, which may hold secrets');
      if (pause === 'message') return l10n.t('turned off for commit messages');
      return offFor === undefined ? l10n.t('turned off') : l10n.t('turned off for {0}', languageName(offFor));
    case 'error':
      return message ?? l10n.t('error');
    case 'ready':
      if (onlyExplains) return l10n.t('ready to explain; this model does not complete code');
      if (pause === 'snoozed') return l10n.t('snoozed until {0}', timeOf(status.snoozeEnd));
      if (pause === 'manual') return l10n.t('ready; suggestions only on request');
      if (status.isTooSlow) return l10n.t('this model is too slow for this computer');
      return decodeTokensPerSecond
        ? l10n.t('ready, {0} tokens per second', decodeTokensPerSecond.toFixed(0))
        : l10n.t('ready');
  }
}

function modelRows({ model, explainModel }: Status): [string, string][] {
  if (!model) return [];
  const { backend, fallbackReason } = model;
  const rows: [string, string][] = [[l10n.t('Model'), modelText(model)]];
  if (explainModel) rows.push([l10n.t('For explanations'), modelText(explainModel)]);
  rows.push([l10n.t('Runs on'), escapeMarkdown(fallbackReason === '' ? backend : `${backend} (${fallbackReason})`)]);
  if (model.draftProblem !== '') rows.push([l10n.t('No draft model'), escapeMarkdown(model.draftProblem)]);
  return rows;
}

function modelText({ name, device, quantization, fileBytes, contextTokens }: ModelInfo): string {
  const file = device === 'server' ? [] : [quantization, mebibytes(fileBytes)];
  return escapeMarkdown(`${name} (${[...file, l10n.t('context of {0} tokens', contextTokens)].join(', ')})`);
}

function speedRows({ decodeTokensPerSecond, prefillTokensPerSecond, last }: Status): [string, string][] {
  const rows: [string, string][] = [];
  const rates = [
    decodeTokensPerSecond && l10n.t('writing {0}', rate(decodeTokensPerSecond)),
    prefillTokensPerSecond && l10n.t('reading {0}', rate(prefillTokensPerSecond)),
  ];
  if (rates.some(Boolean)) rows.push([l10n.t('Speed'), rates.filter(Boolean).join(', ')]);
  if (last) {
    const { latencyMs, promptTokens, cachedTokens, completionTokens, model } = last;
    const work = l10n.t(
      '{0} of {1} prompt tokens read, {2} written',
      promptTokens - cachedTokens,
      promptTokens,
      completionTokens,
    );
    rows.push([
      l10n.t('Last answer'),
      `${l10n.t('{0} ms, by {1}', latencyMs.toFixed(0), escapeMarkdown(model))}; ${work}`,
    ]);
  }
  return rows;
}

function cacheRows({ engine, model }: Status): [string, string][] {
  if (!engine) return [];
  const { pagesUsed, pagesTotal, pageBytes, hitTokens, missTokens } = engine.cache;
  const lookedUp = hitTokens + missTokens;
  const hits = lookedUp ? l10n.t(', {0} of the prompt tokens reused', percent(hitTokens / lookedUp)) : '';
  const size = l10n.t('{0} of {1}', mebibytes(pagesUsed * pageBytes), mebibytes(pagesTotal * pageBytes));
  return [[l10n.t('Cache'), escapeMarkdown(`${size}${model ? ` (${model.kvType})` : ''}${hits}`)]];
}

const timeOf = (date: Date | null | undefined) => date?.toLocaleTimeString(env.language, { timeStyle: 'short' }) ?? '';
/** Rounded down: 100 % means that all is done. */
const percent = (fraction = 0) => (Math.floor(fraction * 100) / 100).toLocaleString(env.language, { style: 'percent' });
const rate = (tokensPerSecond: number) => `${tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0)} tok/s`;
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

// Links in the tooltip may run commands, and names in it come from the model's file. Escaping keeps any part of a name,
// even a bare URL, from becoming a link.
const escapeMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()<>#+!|$~:@.-]/g, '\\$&').replace(/\s+/g, ' ');
