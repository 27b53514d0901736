import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sum } from '../../extension/statistics.ts';
import { StatisticsFile } from '../../extension/statistics-file.ts';

const today = new Date();
/** Of a process that has ended. */
const endedPid = spawnSync(process.execPath, ['--version']).pid;

let parent: string;
let folder: string;
let warnings: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'hearth-statistics-'));
  folder = join(parent, 'statistics');
  warnings = [];
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true });
});

const openWindow = () => new StatisticsFile(folder, (message) => warnings.push(message));
const requestsIn = (window: StatisticsFile) => sum([...window.all().values()]).requests;
const files = () => readdirSync(folder);

function request(window: StatisticsFile, times = 1): void {
  for (let i = 0; i < times; i++) window.add(today, 'rust', { requests: 1 });
}

/** As if the process of the window that wrote the only file were no more. */
function endProcess(): string {
  const [name] = files() as [string];
  const left = name.replace(/^\d+/, String(endedPid));
  renameSync(join(folder, name), join(folder, left));
  return left;
}

test('nothing is written before something is counted, and then only every 30 seconds', () => {
  vi.useFakeTimers();
  const window = openWindow();
  vi.advanceTimersByTime(60_000);
  window.flush();
  expect(readdirSync(parent)).toEqual([]);
  request(window);
  vi.advanceTimersByTime(29_000);
  expect(readdirSync(parent)).toEqual([]);
  expect(requestsIn(window)).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(files()).toHaveLength(1);
  expect(requestsIn(window)).toBe(1);
});

test('what was counted is written when the window closes, and the next window goes on in the same file', () => {
  const first = openWindow();
  request(first, 2);
  first.dispose();
  endProcess();
  const second = openWindow();
  request(second, 3);
  second.dispose();
  expect(files()).toHaveLength(1);
  expect(requestsIn(openWindow())).toBe(5);
});

test('windows that are open together count in files of their own, and each shows the sum', () => {
  const windows = [openWindow(), openWindow(), openWindow()];
  for (let round = 0; round < 4; round++)
    for (const window of windows) {
      request(window);
      window.flush();
    }
  expect(files()).toHaveLength(3);
  for (const window of windows) expect(requestsIn(window)).toBe(12);
});

test('of two windows that find the file of an ended one, one takes it over', () => {
  const first = openWindow();
  request(first);
  first.dispose();
  endProcess();
  const [second, third] = [openWindow(), openWindow()];
  for (const window of [second, third]) request(window);
  for (const window of [second, third]) window.flush();
  expect(files()).toHaveLength(2);
  expect(requestsIn(third)).toBe(3);
});

test('a reset holds for all windows: none brings back what it had written', () => {
  const [first, second] = [openWindow(), openWindow()];
  for (const window of [first, second]) {
    request(window, 5);
    window.flush();
  }
  first.reset();
  expect(requestsIn(second)).toBe(0);
  request(second);
  second.flush();
  expect(requestsIn(first)).toBe(1);
});

test('a damaged file is reported once and left alone, and counting continues in another file', () => {
  const first = openWindow();
  request(first, 2);
  first.dispose();
  writeFileSync(join(folder, `${endedPid}-damaged.json`), '{"version":1,"cou');
  const second = openWindow();
  request(second, 3);
  second.flush();
  request(second);
  second.flush();
  expect(requestsIn(second)).toBe(6);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`${endedPid}-damaged.json`);
  expect(readFileSync(join(folder, `${endedPid}-damaged.json`), 'utf8')).toBe('{"version":1,"cou');
});

test('a window whose own file is damaged goes on in another', () => {
  const window = openWindow();
  request(window);
  window.flush();
  writeFileSync(join(folder, files()[0]!), 'noise');
  request(window, 2);
  window.flush();
  expect(requestsIn(window)).toBe(2);
  expect(warnings).toHaveLength(1);
});

test('a failure to write is reported once, and the counts are written as soon as possible', () => {
  // A file in the place of the folder: nothing can be written, whoever runs this test.
  writeFileSync(folder, '');
  const window = openWindow();
  for (let i = 0; i < 3; i++) {
    request(window);
    window.flush();
  }
  expect(requestsIn(window)).toBe(3);
  expect(warnings.filter((message) => message.includes('saved'))).toHaveLength(1);
  rmSync(folder);
  mkdirSync(folder);
  window.dispose();
  expect(requestsIn(openWindow())).toBe(3);
});

test('a file that a crash left half-written does no harm', () => {
  mkdirSync(folder);
  writeFileSync(join(folder, `${endedPid}-x.json.tmp`), '{"ver');
  const window = openWindow();
  request(window);
  window.flush();
  expect(requestsIn(window)).toBe(1);
  expect(warnings).toEqual([]);
});
