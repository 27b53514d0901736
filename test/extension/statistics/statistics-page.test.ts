import { expect, test } from 'vitest';
import { barChart } from '../../../extension/statistics/bar-chart.ts';
import type { Event } from '../../../extension/statistics/statistics.ts';
import { statisticsPage } from '../../../extension/statistics/statistics-page.ts';

const today = new Date(2026, 2, 1, 12);

function sample(): Map<string, Event[]> {
  const shown = Array.from({ length: 1200 }, (_, i) => ({ languageId: 'rust', latencyMs: i + 1 }));
  const accepted = Array.from({ length: 300 }, () => ({ languageId: 'rust', characters: 10 }));
  return new Map([
    ['2026-02-20', [{ languageId: '<b>"c"', latencyMs: 3000 }]],
    ['2026-03-01', [...shown, ...accepted]],
  ]);
}

test('the page has the figures of each day and of each language', () => {
  const page = statisticsPage(sample(), today, 'en');
  expect(page).toContain('Mar 1: 1,200 shown, 300 accepted');
  expect(page).toContain('Mar 1: median 600 ms, 95th percentile 1.1 s');
  expect(page).toContain('Feb 28: median –, 95th percentile –');
  const rows = [...page.matchAll(/<tr[^>]*><td>(.*)<\/td><\/tr>/g)].map(([, row]) => row?.split('</td><td>'));
  expect(rows).toEqual([
    ['Rust', '1,200', '300 (25%)', '3,000', '600 ms'],
    ['&#60;b&#62;&#34;c&#34;', '1', '0 (0%)', '0', '3 s'],
    ['All', '1,201', '300 (25%)', '3,000', '601 ms'],
  ]);
  expect(page.match(/role="listitem"/g)).toHaveLength(60);
});

test('a single day is shown as a sentence instead of a chart', () => {
  const events = sample();
  events.delete('2026-02-20');
  const page = statisticsPage(events, today, 'en');
  expect(page).toContain(
    '<p>Hearth has counted one day so far. Suggestions shown: 1,200, accepted: 300; characters that you did not have to',
  );
  expect(page).toContain('<table>');
  expect(page).not.toContain('<svg');
});

test('counts older than thirty days are not on the page', () => {
  expect(statisticsPage(sample(), new Date(2026, 4, 1), 'en')).toContain('Nothing has been counted yet.');
});

test("the page's policy lets it fetch nothing and run only its own script", () => {
  const page = statisticsPage(sample(), today, 'en');
  const [, nonce] = /script-src 'nonce-([\w-]+)'/.exec(page)!;
  expect(page).toContain(
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'`,
  );
  expect(page.match(/<script|<style/g)).toEqual(['<style', '<script']);
  expect(page).not.toMatch(/https?:| style=| on\w+=/);
});

test('a page without counts says so and has no reset button', () => {
  const page = statisticsPage(new Map(), today, 'en');
  expect(page).toContain('Nothing has been counted yet.');
  expect(page).not.toMatch(/<svg|<button|<table/);
});

const empty = { tick: '', tooltip: '', outer: 0, inner: 0 };

test('a bar is as high as its value, and days without a value have no bar', () => {
  const chart = barChart([empty, { tick: '', tooltip: '', outer: 230, inner: 115 }], String);
  const bars = [...chart.matchAll(/class="(outer|inner)"[^>]* height="([\d.]+)"/g)];
  expect(bars.map(([, name]) => name)).toEqual(['outer', 'inner']);
  const [outer, inner] = bars.map(([, , height]) => Number(height)) as [number, number];
  expect(outer / inner).toBeCloseTo(2, 1);
  expect(chart).toContain('>230</text>');
});

test('a chart without any value still has an axis', () => {
  const chart = barChart([empty], String);
  expect(chart).not.toContain('NaN');
  expect(chart).toContain('>1</text>');
});
