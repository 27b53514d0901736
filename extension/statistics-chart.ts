// Draws the charts of the statistics as SVG. The page defines their colours.

export interface Bar {
  /** The label below the axis, or empty. */
  tick: string;
  /** The tooltip, which screen readers read as well. */
  tooltip: string;
  /** The larger value, and a second one that is part of it or below it; null if there is no value. */
  outer: number | null;
  inner: number | null;
}

export interface Chart {
  /** A description for screen readers. */
  label: string;
  bars: Bar[];
  formatValue: (value: number) => string;
}

const widthPx = 720;
const heightPx = 190;
const left = 56;
const right = 24;
const top = 12;
const bottom = 24;
const maxGridLines = 4;

/** A bar for the outer value, filled up to the inner one. */
export function barChart(chart: Chart): string {
  return draw(chart, (bar, x, slot, y) => {
    const rectangle = (value: number | null, name: string) =>
      value
        ? `<rect class="${name}" x="${round(x - slot * 0.32)}" width="${round(slot * 0.64)}" y="${y(value)}" height="${round(y(0) - y(value))}" rx="1.5"/>`
        : '';
    return rectangle(bar.outer, 'outer') + rectangle(bar.inner, 'inner');
  });
}

/** A dot for the inner value, a ring for the outer one above it, and a line between them. */
export function rangeChart(chart: Chart): string {
  return draw(chart, ({ outer, inner }, x, _slot, y) => {
    if (outer === null || inner === null) return '';
    const cx = round(x);
    return (
      `<line class="outer" x1="${cx}" x2="${cx}" y1="${y(inner)}" y2="${y(outer)}"/>` +
      `<circle class="outer" cx="${cx}" cy="${y(outer)}" r="3"/><circle class="inner" cx="${cx}" cy="${y(inner)}" r="3.5"/>`
    );
  });
}

type Mark = (bar: Bar, x: number, slot: number, y: (value: number) => number) => string;

function draw({ label, bars, formatValue }: Chart, mark: Mark): string {
  const largest = Math.max(1, ...bars.map(({ outer }) => outer ?? 0));
  const step = gridStep(largest);
  const gridLines = Math.ceil(largest / step);
  const maximum = step * gridLines;
  const y = (value: number) => round(heightPx - bottom - (value / maximum) * (heightPx - top - bottom));
  const slot = (widthPx - left - right) / bars.length;
  const grid = Array.from({ length: gridLines + 1 }, (_, i) => {
    const lineY = y(i * step);
    return (
      `<line class="grid" x1="${left}" x2="${widthPx - right}" y1="${lineY}" y2="${lineY}"/>` +
      `<text x="${left - 8}" y="${lineY + 4}" text-anchor="end">${escapeHtml(formatValue(i * step))}</text>`
    );
  });
  const columns = bars.map((bar, i) => {
    const x = left + slot * (i + 0.5);
    const tick = bar.tick
      ? `<text aria-hidden="true" x="${round(x)}" y="${heightPx - 6}" text-anchor="middle">${escapeHtml(bar.tick)}</text>`
      : '';
    // The tooltip appears over the day's whole column, not only over what is drawn.
    const area = `<rect class="area" x="${round(left + slot * i)}" width="${round(slot)}" y="${top}" height="${heightPx - top - bottom}"/>`;
    return `<g role="listitem"><title>${escapeHtml(bar.tooltip)}</title>${area}${mark(bar, x, slot, y)}${tick}</g>`;
  });
  const viewBox = `0 0 ${widthPx} ${heightPx}`;
  return (
    `<svg role="list" aria-label="${escapeHtml(label)}" viewBox="${viewBox}">` +
    `<g aria-hidden="true">${grid.join('')}</g>${columns.join('')}</svg>`
  );
}

/** The distance of the grid lines: 1, 2 or 5 times a power of ten, so that they are at round values. */
function gridStep(largest: number): number {
  const least = Math.max(1, largest / maxGridLines);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least)!;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
