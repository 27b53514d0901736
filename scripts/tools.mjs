// Which tools the build and the tests need, how to get them, and how to run a command. Plain Node without packages:
// it runs before `npm ci`.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A message for people: printed without a stack. */
export class ToolError extends Error {}

/** A test that this machine cannot run; in CI that is a failure. */
export class NotRun extends Error {}

/** Debian's packages for each command. */
const packages = {
  cmake: 'cmake',
  make: 'make',
  ninja: 'ninja-build',
  'g++': 'g++',
  'clang-format': 'clang-format',
  'clang++-16': 'clang-16 libclang-rt-16-dev',
  'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
  'qemu-aarch64': 'qemu-user',
  hipcc: 'hipcc',
};

/** Runs a command at the repository's root; rejects with a ToolError that names it when it fails. */
export function run(command, args, { env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
      env: { ...process.env, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        output += data;
      });
    }
    child.on('error', () => reject(new ToolError(`cannot start ${command}: is it installed?`)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const line = [command, ...args].join(' ');
      const shown = line.length > 200 ? `${line.slice(0, 200)}…` : line;
      const error = new ToolError(`${shown} failed (${signal ?? `exit code ${code}`})`);
      reject(Object.assign(error, { output }));
    });
  });
}

/** What `command --version` prints, or undefined when the command is not there. */
export function version(command) {
  try {
    return execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** Whether the first version number in the text is that high. */
export const atLeast = (text, [major, minor = 0]) => {
  const [, a, b] = /(\d+)\.(\d+)/.exec(text ?? '') ?? [0, 0, 0];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
};

/** What the build lacks, one line each. CXX names another compiler, as for cmake. */
function missingForBuild() {
  const missing = [];
  if (!atLeast(process.versions.node, [20, 17])) {
    missing.push(`Node.js 20.17 or newer: this is ${process.versions.node}; see https://nodejs.org`);
  }
  if (!atLeast(version('cmake'), [3, 18])) {
    missing.push('CMake 3.18 or newer: apt-get install cmake, dnf install cmake, or brew install cmake');
  }
  if (!version('ninja') && !version('make')) {
    missing.push('Ninja or Make: apt-get install ninja-build, dnf install ninja-build, or brew install ninja');
  }
  const compiler = process.env.CXX ?? ['g++', 'clang++', 'c++'].find(version);
  if (!compiler || !compilesCpp20(compiler)) {
    missing.push('a C++20 compiler (g++ 11 or clang 14, or newer): apt-get install g++, dnf install gcc-c++');
  }
  return missing;
}

function compilesCpp20(compiler) {
  const source =
    '#include <span>\n#include <bit>\nint main() { return std::span<int>().size() + std::popcount(0u); }\n';
  const args = ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'];
  return spawnSync(compiler, args, { input: source, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0;
}

/** Throws one ToolError that lists everything the build lacks. */
export function checkBuildTools() {
  const missing = missingForBuild();
  if (missing.length > 0) throw new ToolError(`Hearth cannot be built yet. Please install\n  ${missing.join('\n  ')}`);
}

/**
 * Throws NotRun when a command is missing, after an attempt to install it where that needs no question: as root on a
 * Debian (a container, a CI machine). Elsewhere nothing is changed.
 */
export async function requireCommands(...commands) {
  const missing = () => commands.filter((command) => !version(command)).map((command) => packages[command]);
  const wanted = missing();
  if (wanted.length > 0 && process.getuid?.() === 0 && version('apt-get')) {
    console.log(`installing ${wanted.join(' ')} with apt-get`);
    const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true };
    await run('apt-get', ['update', '-q'], options).catch(() => undefined);
    await run('apt-get', ['install', '-yq', '--no-install-recommends', ...wanted.join(' ').split(' ')], options).catch(
      (error) => console.log(error.output.trimEnd().split('\n').slice(-3).join('\n')),
    );
  }
  if (missing().length > 0)
    throw new NotRun(`needs ${missing().join(' and ')}: apt-get install ${missing().join(' ')}`);
}

/** make alone would use one core; Ninja is not slowed by the same limit. */
export const buildEnv = () => ({
  CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(availableParallelism()),
});

/** Runs a script's main function; a ToolError ends it with its message alone. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof ToolError ? `${error.output ?? ''}\n${error.message}` : error);
    process.exitCode = 1;
  }
}
