// Draws a chart as SVG, with one bar per day. The page defines the colours.
import { escapeHtml } from '../pages/webview-page.ts';

export interface Bar {
  /** The label below the bar; often ''. */
  tick: string;
  /** Screen readers read it, too. */
  tooltip: string;
  /** The value of the whole bar. */
  outer: number;
  /** The value of the bar's lower part, which has a stronger colour. */
  inner: number;
}

const width = 720;
const height = 150;
const margin = 20;

/** format: formats the largest value, which is written above the chart. */
export function barChart(bars: Bar[], format: (value: number) => string): string {
  const largest = Math.max(1, ...bars.map(({ outer }) => outer));
  const slot = width / bars.length;
  const columns = bars.map(({ tick, tooltip, outer, inner }, i) => {
    const bar = (name: string, size: number) =>
      `<rect class="${name}" x="${slot * (i + 0.2)}" y="${margin + height - size}" width="${slot * 0.6}" height="${size}"/>`;
    // The tooltip appears over the day's whole column, not only over its bar.
    const column = `<rect class="column" x="${slot * i}" y="${margin}" width="${slot}" height="${height}"/>`;
    const drawn = outer > 0 ? bar('outer', (height * outer) / largest) + bar('inner', (height * inner) / largest) : '';
    const below = `<text x="${slot * (i + 0.5)}" y="${height + margin * 1.8}" text-anchor="middle">${escapeHtml(tick)}</text>`;
    return `<g role="listitem"><title>${escapeHtml(tooltip)}</title>${column}${drawn}${below}</g>`;
  });
  const top = `<text y="${margin * 0.7}">${escapeHtml(format(largest))}</text>`;
  const lines = `<path d="M0 ${margin}h${width}m0 ${height}h${-width}"/>`;
  return `<svg role="list" viewBox="0 0 ${width} ${height + margin * 2}">${top}${lines}${columns.join('')}</svg>`;
}
