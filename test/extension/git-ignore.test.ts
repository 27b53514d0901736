import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ignoredByGit, isIgnoredByGit } from '../../extension/git-ignore.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-ignore-'));
const repository = join(folder, 'repository');

beforeAll(() => {
  mkdirSync(join(repository, 'src'), { recursive: true });
  execFileSync('git', ['init', '--quiet', repository]);
  writeFileSync(join(repository, '.gitignore'), 'private*\n');
  writeFileSync(join(repository, 'src', '.gitignore'), 'local.ts\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['private.ts', true],
  ['private/keys.ts', true],
  ['src/local.ts', true],
  ['src/main.ts', false],
  ['local.ts', false],
])('in a repository %s is ignored: %s', async (path, isIgnored) => {
  expect(await isIgnoredByGit(repository, join(repository, path))).toBe(isIgnored);
});

test('outside a repository nothing is ignored', async () => {
  expect(await isIgnoredByGit(folder, join(folder, 'private.ts'))).toBe(false);
});

test('many files are asked for at once', async () => {
  const files = ['private.ts', 'src/main.ts', 'src/local.ts', 'src/a b\n.ts'].map((path) => join(repository, path));
  const ignored = await ignoredByGit(repository, files);
  expect(files.filter((file) => ignored.has(file))).toEqual([files[0], files[2]]);
  expect(files.some((file) => ignored.has(`${file}x`))).toBe(false);
});

test('of many files outside a repository none is ignored', async () => {
  const file = join(folder, 'private.ts');
  expect((await ignoredByGit(folder, [file])).has(file)).toBe(false);
});
