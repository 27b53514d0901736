import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isIgnoredByGit } from '../../extension/git-ignore.ts';

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
