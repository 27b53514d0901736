// The HTML of "Show Statistics": figures, two charts and a table. It contains only numbers and names of languages.
import { randomUUID } from 'node:crypto';
import { l10n } from 'vscode';
import { byDay, byLanguage, type Counts, latencyQuantileMs, type Statistics, sum } from './statistics.ts';
import { barChart, rangeChart, escapeHtml as text } from './statistics-chart.ts';
import { style } from './statistics-style.ts';

export type PageMessage = 'reset';

const days = 30;

type Day = ReturnType<typeof byDay>[number];
type Formats = ReturnType<typeof formatsOf>;

/** locale: the BCP 47 tag by which dates and numbers are formatted. */
export function statisticsPage(statistics: Statistics, today: Date, locale: string): string {
  const nonce = randomUUID();
  const isEmpty = statistics.size === 0;
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'">
<title>${text(l10n.t('Statistics'))}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>${text(l10n.t('Statistics'))}</h1>
${isEmpty ? `<p>${text(l10n.t('Nothing has been counted yet. Come back after Hearth has made some suggestions.'))}</p>` : content(statistics, today, locale)}
</main>
<footer>
<p>${text(l10n.t('Hearth counts suggestions by day and language. The counts never leave this computer, and they contain nothing from your files, not even names.'))}</p>
${isEmpty ? '' : `<button>${text(l10n.t('Reset…'))}</button>`}
</footer>
<script nonce="${nonce}">
  const editor = acquireVsCodeApi();
  document.querySelector('button')?.addEventListener('click', () => editor.postMessage('reset'));
</script>
</body>
</html>`;
}

function content(statistics: Statistics, today: Date, locale: string): string {
  const format = formatsOf(locale);
  const recent = byDay(statistics, today, days);
  const total = sum(recent.map(({ counts }) => counts));
  const figures: [name: string, value: string][] = [
    [l10n.t('Shown'), format.number(total.shown)],
    [l10n.t('Accepted'), `${format.number(total.accepted)} (${format.acceptance(total)})`],
    [l10n.t('Characters accepted'), format.number(total.characters)],
    [l10n.t('Median latency'), format.duration(latencyQuantileMs(total, 0.5))],
  ];
  return `<h2>${text(l10n.t('The last {0} days', days))}</h2>
<dl>${figures.map(([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`).join('')}</dl>
${figure('suggestions', l10n.t('Suggestions'), [l10n.t('Shown'), l10n.t('Accepted')], suggestionsChart(recent, format))}
${figure('latency', l10n.t('Latency'), [l10n.t('95th percentile'), l10n.t('Median')], latencyChart(recent, format))}
<h2 id="languages">${text(l10n.t('By language, over the last year'))}</h2>
${languageTable(statistics, format)}`;
}

function suggestionsChart(recent: Day[], { number, date }: Formats): string {
  return barChart({
    label: l10n.t('Bar chart of the suggestions that were shown and accepted on each of the last {0} days.', days),
    bars: recent.map((day, i) => ({
      tick: hasTick(i) ? date(day.date) : '',
      tooltip: l10n.t(
        '{0}: {1} shown, {2} accepted',
        date(day.date),
        number(day.counts.shown),
        number(day.counts.accepted),
      ),
      outer: Math.max(day.counts.shown, day.counts.accepted),
      inner: day.counts.accepted,
    })),
    formatValue: number,
  });
}

function latencyChart(recent: Day[], { date, duration }: Formats): string {
  return rangeChart({
    label: l10n.t('Chart of the median and the 95th percentile of latency on each of the last {0} days.', days),
    bars: recent.map((day, i) => {
      const name = date(day.date);
      const [inner, outer] = [latencyQuantileMs(day.counts, 0.5), latencyQuantileMs(day.counts, 0.95)];
      const tooltip = l10n.t('{0}: median {1}, 95th percentile {2}', name, duration(inner), duration(outer));
      return { tick: hasTick(i) ? name : '', tooltip: inner === null ? name : tooltip, outer, inner };
    }),
    formatValue: duration,
  });
}

/** The days with a label: today, and each day that is whole weeks before it. */
const hasTick = (i: number) => (days - 1 - i) % 7 === 0;

function figure(name: string, title: string, [outer, inner]: [string, string], chart: string): string {
  const legend = `<span class="outer"></span>${text(outer)} <span class="inner"></span>${text(inner)}`;
  return `<figure class="${name}"><figcaption><b>${text(title)}</b> ${legend}</figcaption>${chart}</figure>`;
}

function languageTable(statistics: Statistics, { number, duration, acceptance }: Formats): string {
  const head = [
    l10n.t('Language'),
    l10n.t('Requests'),
    l10n.t('Shown'),
    l10n.t('Accepted'),
    l10n.t('Characters accepted'),
    l10n.t('Median latency'),
  ];
  const rows = byLanguage(statistics).map(({ languageId, counts }) => {
    const cells = [
      number(counts.requests),
      number(counts.shown),
      acceptance(counts),
      number(counts.characters),
      duration(latencyQuantileMs(counts, 0.5)),
    ];
    return `<tr><th scope="row">${text(languageId)}</th>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`;
  });
  return `<table aria-labelledby="languages">
<thead><tr>${head.map((name) => `<th scope="col">${text(name)}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>`;
}

function formatsOf(locale: string) {
  const { format: number } = new Intl.NumberFormat(locale);
  const { format: percent } = new Intl.NumberFormat(locale, { style: 'percent' });
  const { format: date } = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
  const duration = (ms: number | null) => {
    if (ms === null) return '–';
    if (ms < 1000) return l10n.t('{0} ms', number(Math.round(ms)));
    return l10n.t('{0} s', number(Math.round(ms / 100) / 10));
  };
  /** At most 100 %: a suggestion shown before midnight, or before a reset, may be accepted after it. */
  const acceptance = ({ shown, accepted }: Counts) => (shown === 0 ? '–' : percent(Math.min(1, accepted / shown)));
  return { number: (value: number) => number(value), date, duration, acceptance };
}
