import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ignoredByGit } from '../../../extension/workspace/git-ignore.ts';

const isIgnoredByGit = async (file: string) => (await ignoredByGit(dirname(file), [file])).has(file);

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
  expect(await isIgnoredByGit(join(repository, path))).toBe(isIgnored);
});

test('outside a repository nothing is ignored', async () => {
  expect(await isIgnoredByGit(join(folder, 'private.ts'))).toBe(false);
});

test('git is asked about many files at once', async () => {
  const files = ['private.ts', 'src/main.ts', 'src/local.ts', 'src/a b\n.ts'].map((path) => join(repository, path));
  const ignored = await ignoredByGit(repository, files);
  expect(files.filter((file) => ignored.has(file))).toEqual([files[0], files[2]]);
  expect(files.some((file) => ignored.has(`${file}x`))).toBe(false);
});

test('no file of a long list outside a repository is ignored', async () => {
  const file = join(folder, 'private.ts');
  expect((await ignoredByGit(folder, [file])).has(file)).toBe(false);
});

test('a file in a submodule or behind a symbolic link does not change the answers for the other files', async () => {
  const submodule = join(repository, 'submodule');
  execFileSync('git', ['init', '--quiet', submodule]);
  writeFileSync(join(submodule, '.gitignore'), 'secret.ts\n');
  writeFileSync(join(submodule, 'open.ts'), '');
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
  execFileSync('git', ['-C', submodule, 'add', '.']);
  execFileSync('git', ['-C', submodule, ...author, 'commit', '--quiet', '-m', 'a']);
  execFileSync('git', ['-C', repository, 'add', 'submodule'], { stdio: 'ignore' });
  symlinkSync(join(repository, 'src'), join(repository, 'link'));
  const paths = [
    'submodule/secret.ts',
    'submodule/open.ts',
    'link/local.ts',
    'link/main.ts',
    'src/local.ts',
    'src/main.ts',
  ];
  const files = paths.map((path) => join(repository, path));
  const ignored = await ignoredByGit(repository, files);
  expect(paths.filter((_, i) => ignored.has(files[i] ?? ''))).toEqual([
    'submodule/secret.ts',
    'link/local.ts',
    'src/local.ts',
  ]);
});

test('if git refuses to read a repository, all its files count as ignored', async () => {
  const broken = join(folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, '.git'), `gitdir: ${join(folder, 'gone')}\n`);
  const file = join(broken, 'main.ts');
  expect(await isIgnoredByGit(file)).toBe(true);
  expect((await ignoredByGit(broken, [file])).has(file)).toBe(true);
});
