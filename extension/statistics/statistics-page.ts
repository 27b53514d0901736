// The HTML of "Show Statistics": two charts (on the first day, a sentence) and a table. It has only numbers and names
// of languages.
import { l10n } from 'vscode';
import { languageName } from '../pages/language-name.ts';
import { escapeHtml, webviewPage } from '../pages/webview-page.ts';
import { barChart } from './bar-chart.ts';
import { daysBefore, type Event, keptDays } from './statistics.ts';

export type PageMessage = 'reset';

/** events: by day. locale: the BCP 47 tag for the format of dates and numbers. */
export function statisticsPage(events: Map<string, Event[]>, today: Date, locale: string): string {
  const title = l10n.t('The last {0} days', keptDays);
  const empty = l10n.t('Nothing has been counted yet. Come back after Hearth has made some suggestions.');
  const privacy = l10n.t(
    'Hearth counts suggestions by day and language. The counts never leave this computer, and they contain nothing from your files, not even names.',
  );
  const reset = `<button>${escapeHtml(l10n.t('Reset…'))}</button>`;
  const dates = Array.from({ length: keptDays }, (_, i) => daysBefore(today, keptDays - 1 - i));
  const days = dates.map((date) => ({ date: new Date(`${date}T12:00`), events: events.get(date) ?? [] }));
  const all = days.flatMap((day) => day.events);
  const isEmpty = all.length === 0;
  const body = `<h1>${escapeHtml(title)}</h1>
${isEmpty ? `<p>${escapeHtml(empty)}</p>` : overview(days, locale) + table(all, locale)}
<footer><p>${escapeHtml(privacy)}</p>${isEmpty ? '' : reset}</footer>`;
  return webviewPage({ style, body, script });
}

/** The charts. If only one day was counted, a chart would compare nothing, so a sentence replaces the charts. */
function overview(days: { date: Date; events: Event[] }[], locale: string): string {
  const counted = days.filter(({ events }) => events.length > 0);
  if (counted.length > 1) return charts(days, locale);
  const { number } = formatsOf(locale);
  const { shown, accepted, characters } = totals(counted.flatMap(({ events }) => events));
  const text = l10n.t(
    'Hearth has counted one day so far. Suggestions shown: {0}, accepted: {1}; characters that you did not have to type: {2}. Charts come with the second day.',
    ...[shown, accepted, characters].map(number),
  );
  return `<p>${escapeHtml(text)}</p>`;
}

function charts(days: { date: Date; events: Event[] }[], locale: string): string {
  const { number, duration, date } = formatsOf(locale);
  const counted = days.map((day, i) => {
    const name = date(day.date);
    const suggested = day.events.filter(({ isEdit }) => !isEdit);
    // The labels are a week apart, and the last one is today's.
    const tick = (days.length - 1 - i) % 7 === 0 ? name : '';
    return { name, tick, ...totals(suggested) };
  });
  const suggestions = counted.map(({ name, tick, shown, accepted }) => {
    const tooltip = l10n.t('{0}: {1} shown, {2} accepted', name, number(shown), number(accepted));
    return { tick, tooltip, outer: Math.max(shown, accepted), inner: accepted };
  });
  const latency = counted.map(({ name, tick, medianMs, percentile95Ms }) => {
    const tooltip = l10n.t('{0}: median {1}, 95th percentile {2}', name, duration(medianMs), duration(percentile95Ms));
    return { tick, tooltip, outer: percentile95Ms ?? 0, inner: medianMs ?? 0 };
  });
  const chartOf = (title: string, chart: string) => `<h2>${escapeHtml(title)}</h2>\n${chart}\n`;
  return (
    chartOf(l10n.t('Suggestions shown and accepted'), barChart(suggestions, number)) +
    chartOf(l10n.t('Latency: 95th percentile and median'), barChart(latency, duration))
  );
}

function table(events: Event[], locale: string): string {
  const { number, percent, duration } = formatsOf(locale);
  const head = [
    l10n.t('Language'),
    l10n.t('Shown'),
    l10n.t('Accepted'),
    l10n.t('Characters accepted'),
    l10n.t('Median latency'),
  ];
  const [suggested, edits] = [events.filter(({ isEdit }) => !isEdit), events.filter(({ isEdit }) => isEdit)];
  const languages = [...new Set(suggested.map(({ languageId }) => languageId))]
    .map((id) => ({ name: languageName(id), ...totals(suggested.filter(({ languageId }) => languageId === id)) }))
    .sort((a, b) => b.shown - a.shown);
  const editRows = edits.length > 0 ? [{ name: l10n.t('Next edits'), ...totals(edits) }] : [];
  const rows = [...languages, { name: l10n.t('All'), ...totals(suggested) }, ...editRows].map((row) => {
    // At most 100 %: a suggestion that was shown just before midnight of the first day may be counted as accepted, but
    // not as shown.
    const share = row.shown === 0 ? '' : ` (${percent(Math.min(1, row.accepted / row.shown))})`;
    return [row.name, number(row.shown), number(row.accepted) + share, number(row.characters), duration(row.medianMs)];
  });
  const cells = (tag: string, row: string[]) => row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('');
  const lines = rows.map((row, i) => `<tr${i === languages.length ? ' class="all"' : ''}>${cells('td', row)}</tr>`);
  return `<table>\n<tr>${cells('th', head)}</tr>\n${lines.join('\n')}\n</table>`;
}

function totals(events: Event[]) {
  const latencies = events.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b);
  const accepted = events.flatMap(({ characters }) => characters ?? []);
  return {
    shown: latencies.length,
    accepted: accepted.length,
    characters: accepted.reduce((sum, characters) => sum + characters, 0),
    medianMs: latencies[Math.ceil(latencies.length * 0.5) - 1],
    percentile95Ms: latencies[Math.ceil(latencies.length * 0.95) - 1],
  };
}

function formatsOf(locale: string) {
  const { format: number } = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const { format: percent } = new Intl.NumberFormat(locale, { style: 'percent' });
  const { format: date } = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
  const duration = (ms?: number) => {
    if (ms === undefined) return '–';
    return ms < 1000 ? l10n.t('{0} ms', number(Math.round(ms))) : l10n.t('{0} s', number(ms / 1000));
  };
  return { number: (value: number) => number(value), percent, date, duration };
}

// The charts have the colour of text, so they are visible in every theme: light, dark or high contrast.
const style = `
body { max-width: 760px; margin: 0 auto; padding: 0.5em 2em; line-height: 1.5; color: var(--vscode-foreground); }
svg { width: 100%; overflow: visible; font-size: 11px; fill: currentColor; }
.outer { fill-opacity: 0.3; stroke: currentColor; stroke-opacity: 0.6; }
.column { fill-opacity: 0; }
g:hover > .column { fill-opacity: 0.1; }
path { fill: none; stroke: currentColor; stroke-opacity: 0.3; }
table { width: 100%; margin: 2em 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35em 0; text-align: right; border-bottom: 1px solid var(--vscode-widget-border, currentColor); }
:is(th, td):first-child { text-align: left; }
.all { font-weight: bold; }
button { padding: 0.3em 1em; border: 1px solid var(--vscode-button-border, transparent); font: inherit; cursor: pointer;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
`;

const script = `
const editor = acquireVsCodeApi();
document.querySelector('button')?.addEventListener('click', () => editor.postMessage('reset'));
`;
