import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { daysBefore, isFamiliar, Statistics } from '../../../extension/statistics/statistics.ts';
import { isWindows } from '../../../language-server/protocol/system.ts';

const today = new Date(2026, 2, 31, 23, 59);
const shown = { languageId: 'rust', latencyMs: 60 };
const accepted = { languageId: 'rust', characters: 12 };

let parent: string;
let folder: string;
let warnings: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'hearth-statistics-'));
  folder = join(parent, 'statistics');
  warnings = [];
});
afterEach(() => rmSync(parent, { recursive: true }));

const openWindow = () => new Statistics(folder, (message) => warnings.push(message));

test('nothing is written before the first count', () => {
  expect(openWindow().read()).toEqual(new Map());
  expect(readdirSync(parent)).toEqual([]);
});

test('windows count together, and each shows the sum', async () => {
  const windows = [openWindow(), openWindow(), openWindow()];
  await Promise.all(windows.map((window) => window.add(today, shown)));
  await windows[0]?.add(new Date(2026, 2, 30, 0, 1), accepted);
  for (const window of windows)
    expect(window.read()).toEqual(
      new Map([
        ['2026-03-30', [accepted]],
        ['2026-03-31', [shown, shown, shown]],
      ]),
    );
});

test("a folder with a name like a day's file is left alone", async () => {
  const window = openWindow();
  await window.add(new Date(2026, 2, 30), shown);
  mkdirSync(join(folder, '2026-03-29.jsonl'));
  mkdirSync(join(folder, '2020-01-01.jsonl'));
  if (!isWindows) symlinkSync(join(parent, 'nowhere'), join(folder, '2026-03-28.jsonl'));
  await window.add(today, accepted);
  expect([...window.read().keys()]).toEqual(['2026-03-30', '2026-03-31']);
  expect(warnings).toEqual([]);
});

test.skipIf(isWindows)('nothing is written through a link, and the user is told once', async () => {
  mkdirSync(folder);
  symlinkSync(join(parent, 'own'), join(folder, '2026-03-31.jsonl'));
  const window = openWindow();
  for (let i = 0; i < 3; i++) await window.add(today, shown);
  expect(readdirSync(parent)).toEqual(['statistics']);
  expect(window.read()).toEqual(new Map());
  expect(warnings).toEqual([expect.stringContaining('The statistics could not be saved')]);
});

test('a reset applies to all windows', async () => {
  const [first, second] = [openWindow(), openWindow()];
  await first.add(today, shown);
  await second.add(today, shown);
  first.reset();
  expect(second.read()).toEqual(new Map());
  await second.add(today, accepted);
  expect(first.read()).toEqual(new Map([['2026-03-31', [accepted]]]));
});

test('the files of the last thirty days are kept', async () => {
  const window = openWindow();
  for (let day = 1; day <= 40; day++) await window.add(new Date(2026, 0, day), shown);
  await window.add(new Date(2026, 1, 9), shown);
  const files = readdirSync(folder).sort();
  expect(files).toHaveLength(30);
  expect(files[0]).toBe('2026-01-11.jsonl');
});

test('a day without counts is one of the thirty', async () => {
  const window = openWindow();
  await window.add(new Date(2026, 1, 28), shown);
  await window.add(new Date(2026, 2, 2), shown);
  await window.add(today, shown);
  expect([...window.read().keys()]).toEqual(['2026-03-02', '2026-03-31']);
});

test('unfinished and damaged lines do not affect others', async () => {
  const window = openWindow();
  await window.add(today, shown);
  const [name = ''] = readdirSync(folder);
  const damaged = [
    '{}',
    'null',
    '{"languageId":3,"latencyMs":1}',
    '{"languageId":"c","latencyMs":"1"}',
    '{"languageId":"c',
  ];
  writeFileSync(join(folder, name), `${readFileSync(join(folder, name), 'utf8')}\n${damaged.join('\n')}`);
  await window.add(today, accepted);
  expect([...window.read().values()]).toEqual([[shown, accepted]]);
});

test('a failure to write is reported once, and counting resumes afterwards', async () => {
  // With a file in place of the folder, nothing can be written, whoever runs this test.
  writeFileSync(folder, '');
  const window = openWindow();
  for (let i = 0; i < 3; i++) await window.add(today, shown);
  expect(warnings).toEqual([expect.stringContaining('The statistics could not be saved')]);
  rmSync(folder);
  await window.add(today, shown);
  expect([...window.read().values()]).toEqual([[shown]]);
});

test('every day has its own date, even when daylight saving time begins', () => {
  const days = Array.from({ length: 30 }, (_, i) => daysBefore(new Date(2026, 3, 5), i));
  expect(days[0]).toBe('2026-04-05');
  expect(days[29]).toBe('2026-03-07');
  expect(new Set(days).size).toBe(30);
});

test('a user counts as familiar with Hearth after twenty accepted suggestions, or on another day', () => {
  const onDay = (day: string, n: number) => new Map([[day, [shown, ...Array.from({ length: n }, () => accepted)]]]);
  expect(isFamiliar(new Map(), today)).toBe(false);
  expect(isFamiliar(onDay('2026-03-31', 19), today)).toBe(false);
  expect(isFamiliar(onDay('2026-03-31', 20), today)).toBe(true);
  expect(isFamiliar(onDay('2026-03-30', 1), today)).toBe(true);
});
