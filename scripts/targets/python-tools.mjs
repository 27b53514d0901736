// Installs zig and lief in a virtual environment in .cache, with pinned versions and hashes.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotRun, requirePython, root, run } from '../tools.mjs';

const requirements = join(root, 'scripts/targets/requirements.txt');
const folder = join(root, '.cache/targets');
const installed = join(folder, 'installed.txt');
/** A copy of the licence of zig and of its compiler-rt. */
export const zigLicence = join(folder, 'zig-licence.txt');

/**
 * The commands of zig that get their own programs, which CMake needs. So does ccache, which would take `c++` for a
 * file.
 */
const zigPrograms = ['c++', 'build-lib', 'ar', 'ranlib'];

/**
 * Installs what is missing. Returns the paths of python, and of zig as a C++ compiler, linker, archiver and indexer.
 */
export async function pythonTools() {
  // The programs contain the folder's path, so a moved checkout makes them again.
  const wanted = `${readFileSync(requirements, 'utf8')}${zigPrograms} ${folder}`;
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted) await install(wanted);
  const bin = (name) => join(folder, 'bin', name);
  return {
    python: bin('python'),
    cxx: bin('zig-c++'),
    linker: bin('zig-build-lib'),
    ar: bin('zig-ar'),
    ranlib: bin('zig-ranlib'),
  };
}

async function install(wanted) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new NotRun('the builds for other systems are made on Linux x86-64');
  await requirePython();
  console.log('installing zig and lief with pip');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder], { quiet: true });
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes', '-r', requirements];
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', ...options], { quiet: true });
  const find = 'import ziglang, os; print(os.path.dirname(ziglang.__file__))';
  const found = (await run(join(folder, 'bin/python'), ['-c', find], { quiet: true })).trim();
  const zig = join(found, 'zig');
  copyFileSync(join(found, 'LICENSE'), zigLicence);
  const cache = join(root, '.cache/zig-cache');
  for (const name of zigPrograms) {
    const path = join(folder, 'bin', `zig-${name}`);
    writeFileSync(path, `#!/bin/sh\nZIG_GLOBAL_CACHE_DIR='${cache}' exec '${zig}' ${name} "$@"\n`);
    chmodSync(path, 0o755);
  }
  writeFileSync(installed, wanted);
}
