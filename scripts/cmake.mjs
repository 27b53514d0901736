// Configures and builds with CMake.
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildEnv, root, run, version } from './tools.mjs';

const warningsAreErrors = process.env.CI ? ['-DHEARTH_WERROR=ON'] : [];

/** The CMake option with the headers of Node-API from npm packages, for builds without cmake-js. */
export const nodeApi = () => {
  const folders = ['node-api-headers/include', 'node-addon-api'].map((each) => join(root, 'node_modules', each));
  return `-DHEARTH_NODE_API=${folders.join(';')}`;
};

/** Whether the folder was configured with these options. A failed configure leaves no build.ninja or Makefile. */
export function isConfigured(folder, options) {
  const isThere = ['build.ninja', 'Makefile'].some((file) => existsSync(join(folder, file)));
  const record = join(folder, optionsFile);
  return isThere && existsSync(record) && readFileSync(record, 'utf8') === JSON.stringify(options);
}

export const optionsFile = 'hearth-options.json';

/** Deletes a build folder that belongs to other sources, as in a moved or copied checkout: CMake would refuse it. */
export function dropForeignBuild(folder, source) {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = (name) => readFileSync(cache, 'utf8').match(new RegExp(`^${name}:INTERNAL=(.*)$`, 'm'))?.[1] ?? '';
  const isOurs = isSamePath(home('CMAKE_HOME_DIRECTORY'), source) && isSamePath(home('CMAKE_CACHEFILE_DIR'), folder);
  if (!isOurs) rmSync(folder, { recursive: true });
}

const isSamePath = (a, b) => existsSync(a) && realpathSync(a) === realpathSync(b);

const plainCMake = (source, folder, options) => {
  const generator = version('ninja') ? ['-G', 'Ninja'] : [];
  return run('cmake', ['-S', source, '-B', folder, ...generator, ...options], { quiet: true });
};

/** Configures the addon for this machine. cmake-js knows where Node-API's headers are, and downloads nothing. */
export function cmakeJs(source, folder, options) {
  const program = join(createRequire(import.meta.url).resolve('cmake-js/package.json'), '..', 'bin', 'cmake-js');
  const defined = options.map((option) => option.replace(/^-D/, '--CD'));
  const args = ['configure', '-d', source, '-O', folder, '--log-level', 'error', ...defined];
  return run(process.execPath, [program, ...args], { quiet: true });
}

/** Configures the folder if necessary, and builds the targets in it. options: for CMake. source: has CMakeLists.txt. */
export async function build(folder, options, targets, { source = 'native', configure = plainCMake } = {}) {
  const path = join(root, folder);
  const all = [...options, ...warningsAreErrors];
  dropForeignBuild(path, join(root, source));
  if (!isConfigured(path, all)) {
    // Removes earlier options, which CMake would keep, and our record of them, since configuring may fail.
    for (const file of ['CMakeCache.txt', optionsFile]) rmSync(join(path, file), { force: true });
    await configure(source, folder, all);
    writeFileSync(join(path, optionsFile), JSON.stringify(all));
  }
  await run('cmake', ['--build', folder, '--target', ...targets], { env: buildEnv() });
}
