import { expect, test } from 'vitest';
import { add, type Statistics } from '../../extension/statistics.ts';
import { barChart, rangeChart } from '../../extension/statistics-chart.ts';
import { statisticsPage } from '../../extension/statistics-page.ts';

const today = new Date(2026, 2, 1, 12);

function sample(): Statistics {
  const statistics: Statistics = new Map();
  for (let i = 0; i < 1200; i++) add(statistics, today, 'rust', { requests: 2, shown: 1, latencyMs: 60 });
  for (let i = 0; i < 300; i++) add(statistics, today, 'rust', { accepted: 1, characters: 10 });
  add(statistics, new Date(2025, 11, 1), '<b>"c"', { requests: 1 });
  return statistics;
}

test('the page has the figures of the last days, and of the year by language', () => {
  const page = statisticsPage(sample(), today, 'en');
  expect(page).toContain('<dd>300 (25%)</dd>');
  expect(page).toContain('Mar 1: 1,200 shown, 300 accepted');
  expect(page).toMatch(
    /<th scope="row">rust<\/th><td>2,400<\/td><td>1,200<\/td><td>25%<\/td><td>3,000<\/td><td>\d\d ms</,
  );
  expect(page.match(/role="listitem"/g)).toHaveLength(60);
});

test('a language cannot bring HTML into the page', () => {
  const page = statisticsPage(sample(), today, 'en');
  expect(page).not.toContain('<b>"c"');
  expect(page).toContain('&#60;b&#62;&#34;c&#34;');
});

test('by its policy the page fetches nothing and runs only its own script', () => {
  const page = statisticsPage(sample(), today, 'en');
  const [, nonce] = /script-src 'nonce-([\w-]+)'/.exec(page)!;
  expect(page).toContain(
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'`,
  );
  expect(page.match(/<script|<style/g)).toEqual(['<style', '<script']);
  expect(page).not.toMatch(/https?:| style=| on\w+=/);
});

test('a page without counts says so, and has nothing to reset', () => {
  const page = statisticsPage(new Map(), today, 'en');
  expect(page).toContain('Nothing has been counted yet.');
  expect(page).not.toMatch(/<svg|<button|<table/);
});

const bars = [
  { tick: 'Mon', tooltip: 'Monday', outer: 0, inner: 0 },
  { tick: '', tooltip: 'Tuesday', outer: null, inner: null },
  { tick: '', tooltip: 'Wednesday', outer: 230, inner: 115 },
];
const chart = { label: 'Days', bars, formatValue: String };

test('the grid of a chart stands at round values above the largest', () => {
  const axis = [...barChart(chart).matchAll(/text-anchor="end">(\d+)</g)].map(([, value]) => value);
  expect(axis).toEqual(['0', '100', '200', '300']);
});

test('a bar is as high as its value, and days without one have none', () => {
  const heights = [...barChart(chart).matchAll(/class="(outer|inner)"[^>]* height="([\d.]+)"/g)];
  expect(heights.map(([, name]) => name)).toEqual(['outer', 'inner']);
  const [outer, inner] = heights.map(([, , height]) => Number(height)) as [number, number];
  expect(outer / inner).toBeCloseTo(2, 1);
  expect(rangeChart(chart).match(/<circle/g)).toHaveLength(4);
});

test('a chart without any value still has an axis', () => {
  const empty = barChart({ ...chart, bars: [{ tick: '', tooltip: '', outer: null, inner: null }] });
  expect(empty).not.toContain('NaN');
  expect(empty).toContain('>1</text>');
});
