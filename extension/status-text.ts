// What the status bar says about a ServerStatus: text, spoken label, Markdown tooltip. Pure functions.
import type { ServerStatus } from '../language-server/protocol.ts';

export const tooltipCommands = {
  'hearth.toggle': 'Turn on or off',
  'hearth.showStatus': 'Show status',
  'hearth.showLog': 'Show log',
  'hearth.restartServer': 'Restart server',
};

export function statusText(status: ServerStatus): string {
  switch (status.health) {
    case 'starting':
      return '$(loading~spin) Hearth';
    case 'loading':
      return `$(loading~spin) Hearth ${percent(status.progress)}`;
    case 'ready':
      return `$(flame) ${status.decodeTokensPerSecond ? rate(status.decodeTokensPerSecond) : 'Hearth'}`;
    case 'off':
      return '$(circle-slash) Hearth';
    case 'error':
      return '$(error) Hearth';
  }
}

/** For screen readers: no icons, no abbreviations. */
export function statusLabel(status: ServerStatus): string {
  return `Hearth, local completion: ${summary(status)}`;
}

export function statusTooltip(status: ServerStatus): string {
  const rows = [...modelRows(status), ...speedRows(status), ...cacheRows(status)];
  const table = rows.length ? ['| | |', '|:--|:--|', ...rows.map(([name, value]) => `| ${name} | ${value} |`), ''] : [];
  const links = Object.entries(tooltipCommands).map(([command, title]) => `[${title}](command:${command})`);
  return [`**Hearth** — ${escapeMarkdown(summary(status))}`, '', ...table, links.join(' · ')].join('\n');
}

function summary({ health, progress, message, decodeTokensPerSecond }: ServerStatus): string {
  switch (health) {
    case 'starting':
      return 'starting';
    case 'loading':
      return `loading the model, ${percent(progress)}`;
    case 'ready':
      return decodeTokensPerSecond ? `ready, ${decodeTokensPerSecond.toFixed(0)} tokens per second` : 'ready';
    case 'off':
      return 'turned off';
    case 'error':
      return message ?? 'error';
  }
}

function modelRows({ model }: ServerStatus): [string, string][] {
  if (!model) return [];
  const size = `${escapeMarkdown(model.quantization)}, ${mebibytes(model.fileBytes)}, ${model.contextTokens} tokens of context`;
  const rows: [string, string][] = [
    ['Model', `${escapeMarkdown(model.name)} (${size})`],
    ['Backend', escapeMarkdown(model.whyCpu === '' ? model.backend : `${model.backend} (${model.whyCpu})`)],
  ];
  if (model.draftProblem !== '') rows.push(['No draft model', escapeMarkdown(model.draftProblem)]);
  return rows;
}

function speedRows({ decodeTokensPerSecond, prefillTokensPerSecond, last }: ServerStatus): [string, string][] {
  const rows: [string, string][] = [];
  const rates = [
    decodeTokensPerSecond && `${rate(decodeTokensPerSecond)} written`,
    prefillTokensPerSecond && `${rate(prefillTokensPerSecond)} read`,
  ];
  if (rates.some(Boolean)) rows.push(['Speed', rates.filter(Boolean).join(', ')]);
  if (last) {
    const computed = `${last.promptTokens - last.cachedTokens} of ${last.promptTokens} prompt tokens computed`;
    rows.push(['Last answer', `${last.latencyMs.toFixed(0)} ms; ${computed}, ${last.completionTokens} written`]);
  }
  return rows;
}

function cacheRows({ engine, model }: ServerStatus): [string, string][] {
  if (!engine) return [];
  const { pagesUsed, pagesTotal, pageBytes, hitTokens, missTokens } = engine.cache;
  const asked = hitTokens + missTokens;
  const hits = asked ? `, ${percent(hitTokens / asked)} of the prompt tokens found in it` : '';
  const size = `${mebibytes(pagesUsed * pageBytes)} of ${mebibytes(pagesTotal * pageBytes)}`;
  return [['Cache', `${size}${model ? ` as ${model.kvType}` : ''}${hits}`]];
}

const percent = (fraction = 0) => `${Math.floor(fraction * 100)} %`;
const rate = (tokensPerSecond: number) => `${tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0)} tok/s`;
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

// Names come from the model's file, and the tooltip may run our commands: nothing of theirs may become a link.
const escapeMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()<>#+!|$~-]/g, '\\$&').replace(/\s+/g, ' ');
