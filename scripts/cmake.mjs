// Configures and builds with CMake.
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildEnv, root, run, version } from './tools.mjs';

export const warningsAreErrors = process.env.CI ? ['HEARTH_WERROR=ON'] : [];

// A configure that failed leaves a CMakeCache.txt but nothing to build with.
export function isConfigured(folder, source = 'native') {
  const path = join(root, folder);
  dropForeignBuild(path, join(root, source));
  return existsSync(join(path, 'build.ninja')) || existsSync(join(path, 'Makefile'));
}

/** CMake refuses a build folder that was made for other sources: that of a checkout which was moved or copied. */
export function dropForeignBuild(folder, source) {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = (name) => readFileSync(cache, 'utf8').match(new RegExp(`^${name}:INTERNAL=(.*)$`, 'm'))?.[1] ?? '';
  const isOurs = isSamePath(home('CMAKE_HOME_DIRECTORY'), source) && isSamePath(home('CMAKE_CACHEFILE_DIR'), folder);
  if (!isOurs) rmSync(folder, { recursive: true });
}

const isSamePath = (a, b) => existsSync(a) && realpathSync(a) === realpathSync(b);

/** Targets of a plain cmake build, without the addon. */
export async function buildTests(folder, options, targets, source = 'native') {
  const generator = version('ninja') ? ['-G', 'Ninja'] : [];
  if (!isConfigured(folder, source)) {
    const defined = [...options, ...warningsAreErrors.map((option) => `-D${option}`)];
    await run('cmake', ['-S', source, '-B', folder, ...generator, ...defined], { quiet: true });
  }
  await run('cmake', ['--build', folder, '--target', ...targets], { env: buildEnv() });
}
