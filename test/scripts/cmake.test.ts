import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

// The scripts are plain Node and have no types.
const script = new URL('../../scripts/cmake.mjs', import.meta.url).href;
const {
  build: buildIn,
  dropForeignBuild,
  isConfigured,
  optionsFile,
} = (await import(script)) as {
  build: (folder: string, options: string[], targets: string[], how: object) => Promise<void>;
  dropForeignBuild: (folder: string, source: string) => void;
  isConfigured: (folder: string, options: string[]) => boolean;
  optionsFile: string;
};

let checkout: string;

/** A checkout with a configured build, as CMake leaves it. */
beforeEach(() => {
  checkout = join(realpathSync(mkdtempSync(join(tmpdir(), 'hearth-build-'))), 'checkout');
  const build = join(checkout, 'build', 'native');
  mkdirSync(join(checkout, 'native'), { recursive: true });
  mkdirSync(build, { recursive: true });
  const lines = ['# cache', `CMAKE_CACHEFILE_DIR:INTERNAL=${build}`];
  writeFileSync(
    join(build, 'CMakeCache.txt'),
    [...lines, `CMAKE_HOME_DIRECTORY:INTERNAL=${join(checkout, 'native')}`, ''].join('\n'),
  );
  writeFileSync(join(build, 'build.ninja'), '');
});

afterEach(() => rmSync(join(checkout, '..'), { recursive: true }));

/** Whether the build folder still has its files afterwards. */
function isKept(folder: string): boolean {
  dropForeignBuild(join(folder, 'build', 'native'), join(folder, 'native'));
  return existsSync(join(folder, 'build', 'native', 'build.ninja'));
}

test('a build of this checkout is kept, even if it is reached through a link', () => {
  expect(isKept(checkout)).toBe(true);
  const link = join(checkout, '..', 'link');
  symlinkSync(checkout, link);
  expect(isKept(link)).toBe(true);
});

test('the build of a checkout that was moved is deleted', () => {
  const moved = join(checkout, '..', 'moved');
  renameSync(checkout, moved);
  mkdirSync(checkout);
  expect(isKept(moved)).toBe(false);
});

test('the build of a copied checkout is deleted, even if the original still exists', () => {
  const copy = join(checkout, '..', 'copy');
  mkdirSync(join(copy, 'native'), { recursive: true });
  mkdirSync(join(copy, 'build'));
  renameSync(join(checkout, 'build', 'native'), join(copy, 'build', 'native'));
  mkdirSync(join(checkout, 'build', 'native'));
  expect(isKept(copy)).toBe(false);
});

test('a folder without a build is left alone', () => {
  rmSync(join(checkout, 'build', 'native', 'CMakeCache.txt'));
  expect(isKept(checkout)).toBe(true);
});

test('a build is configured again if the options change or if the last configuration failed', () => {
  const build = join(checkout, 'build', 'native');
  expect(isConfigured(build, ['-DA=1'])).toBe(false);
  writeFileSync(join(build, optionsFile), JSON.stringify(['-DA=1']));
  expect(isConfigured(build, ['-DA=1'])).toBe(true);
  expect(isConfigured(build, ['-DA=1', '-DB=2'])).toBe(false);
  rmSync(join(build, 'build.ninja'));
  expect(isConfigured(build, ['-DA=1'])).toBe(false);
});

test('if configuring with new options fails, nothing counts as configured', async () => {
  const build = join(checkout, 'build', 'native');
  writeFileSync(join(build, optionsFile), JSON.stringify(['-DA=1']));
  const fromRoot = (path: string) => relative(join(import.meta.dirname, '../..'), path);
  const configure = () => Promise.reject(new Error('interrupted'));
  const how = { source: fromRoot(join(checkout, 'native')), configure };
  await expect(buildIn(fromRoot(build), ['-DB=2'], [], how)).rejects.toThrow('interrupted');
  expect(isConfigured(build, ['-DA=1'])).toBe(false);
  expect(existsSync(join(build, 'CMakeCache.txt'))).toBe(false);
});
