// Turning the disk cache off deletes what the engine wrote, and nothing else.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pagesFolderIn, wipe } from '../../../language-server/engine/disk-cache.ts';

let storage: string;
let pages: string;
const errors: string[] = [];
const log = { info: () => {}, warn: () => {}, error: (message: string) => void errors.push(message) };

beforeEach(() => {
  storage = mkdtempSync(join(tmpdir(), 'hearth-storage-'));
  pages = pagesFolderIn(storage);
});
afterEach(() => {
  rmSync(storage, { recursive: true });
  expect(errors.splice(0)).toEqual([]);
});

const name = '0123456789abcdef-17f0a1b2c3d4e5f6';
function write(...names: string[]): void {
  mkdirSync(pages);
  for (const each of names) writeFileSync(join(pages, each), 'text');
}

test('page files, finished or not, are deleted with their folder', async () => {
  write(`${name}.pages`, `${name}.unfinished`);
  await wipe(pages, log);
  expect(existsSync(pages)).toBe(false);
  await wipe(pages, log);
});

test('a folder that existed before keeps its other files', async () => {
  write(`${name}.pages`, 'index.js', `${name}.pages.js`);
  await wipe(pages, log);
  expect(readdirSync(pages).sort()).toEqual([`${name}.pages.js`, 'index.js']);
});

test.each(['.', 'storage', '~/hearth', '', undefined])('no disk cache is kept in the storage folder %j', (folder) => {
  expect(pagesFolderIn(folder)).toBe('');
});
