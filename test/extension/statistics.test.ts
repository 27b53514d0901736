import { expect, test } from 'vitest';
import {
  add,
  byDay,
  byLanguage,
  latencyQuantileMs,
  merge,
  parse,
  type Statistics,
  serialize,
  sum,
} from '../../extension/statistics.ts';

const today = new Date(2026, 2, 1, 23, 59);

function shownAt(...latenciesMs: number[]): Statistics {
  const statistics: Statistics = new Map();
  for (const latencyMs of latenciesMs) add(statistics, today, 'rust', { requests: 1, shown: 1, latencyMs });
  return statistics;
}

test('counts add up by day and language', () => {
  const statistics: Statistics = new Map();
  add(statistics, new Date(2026, 1, 28, 0, 1), 'rust', { requests: 1 });
  add(statistics, today, 'rust', { requests: 1, shown: 1, latencyMs: 40 });
  add(statistics, today, 'rust', { accepted: 1, characters: 12 });
  add(statistics, today, 'c', { requests: 1 });
  const [yesterday, last] = byDay(statistics, today, 2).map(({ counts }) => counts);
  expect(yesterday).toMatchObject({ requests: 1, shown: 0, accepted: 0 });
  expect(last).toMatchObject({ requests: 2, shown: 1, accepted: 1, characters: 12 });
  expect(byLanguage(statistics).map(({ languageId, counts }) => [languageId, counts.requests])).toEqual([
    ['rust', 2],
    ['c', 1],
  ]);
});

test('days without counts are there too, one for each date, also when daylight saving time begins', () => {
  const days = byDay(new Map(), new Date(2026, 3, 5), 30).map(({ date }) => date);
  expect(days).toHaveLength(30);
  expect(days[0]).toEqual(new Date(2026, 2, 7, 12));
  expect(new Set(days.map((date) => date.toDateString())).size).toBe(30);
});

test('statistics come back from their text as they were', () => {
  const statistics = shownAt(3, 42, 42, 20_000);
  add(statistics, today, 'c', { accepted: 1, characters: 7 });
  expect(parse(serialize(statistics, today))).toEqual(statistics);
});

test('what is older than a year is dropped', () => {
  const statistics: Statistics = new Map();
  add(statistics, new Date(2025, 2, 1), 'c', { requests: 1 });
  add(statistics, new Date(2025, 2, 2), 'c', { requests: 1 });
  expect([...parse(serialize(statistics, today)).keys()]).toEqual(['2025-03-02 c']);
});

test('a year of five busy languages takes less than 200 KB', () => {
  const statistics: Statistics = new Map();
  for (let day = 0; day < 365; day++)
    for (const languageId of ['typescriptreact', 'javascript', 'python', 'markdown', 'shellscript'])
      for (let latencyMs = 1; latencyMs < 20_000; latencyMs *= 1.1)
        add(statistics, new Date(2026, 2, 1 - day), languageId, { requests: 9, shown: 9, characters: 900, latencyMs });
  expect(serialize(statistics, today).length).toBeLessThan(200_000);
});

test.each([
  '',
  '{}',
  '{"version":1}',
  '{"version":2,"counts":{}}',
  '{"version":1,"counts":{"2026-03-01 c":[1,2,3]}}',
  '{"version":1,"counts":{"2026-03-01 c":[1,-2,3,4]}}',
  '{"version":1,"counts":{"2026-03-01 c":[1,null,3,4]}}',
  '{"version":1,"counts":{"c":[1,2,3,4]}}',
])('the damaged text %j is refused', (text) => {
  expect(() => parse(text)).toThrow();
});

test('quantiles are right to within a bucket of the histogram', () => {
  const counts = sum([...shownAt(...Array.from({ length: 100 }, (_, i) => 10 * (i + 1))).values()]);
  const median = latencyQuantileMs(counts, 0.5)!;
  expect(median).toBeGreaterThan(450);
  expect(median).toBeLessThan(550);
  const p95 = latencyQuantileMs(counts, 0.95)!;
  expect(p95).toBeGreaterThan(900);
  expect(p95).toBeLessThanOrEqual(1000);
});

test('a latency beyond the last bucket counts as its bound, and none at all has no quantile', () => {
  expect(latencyQuantileMs(sum([...shownAt(60_000).values()]), 0.5)).toBe(10_000);
  expect(latencyQuantileMs(sum([]), 0.5)).toBeNull();
});

test('merging adds and leaves the source alone', () => {
  const into = shownAt(30);
  const from = shownAt(30, 2000);
  merge(into, from);
  merge(into, from);
  expect(sum([...into.values()])).toMatchObject({ requests: 5, shown: 5 });
  expect(sum([...from.values()])).toMatchObject({ requests: 2, shown: 2 });
});
