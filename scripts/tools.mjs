// Finds, installs and runs the tools that the build and the tests need. Uses no npm packages, because it runs before
// `npm ci`.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** An error whose message is for the user, so it is printed without a stack trace. */
export class ToolError extends Error {}

/** Thrown by a test that this machine cannot run; in CI it counts as failed. */
export class NotRun extends ToolError {}

/** For each command, the Debian packages to install. */
const packages = {
  cmake: 'cmake',
  make: 'make',
  ninja: 'ninja-build',
  'g++': 'g++',
  'clang-format': 'clang-format',
  'clang++-16': 'clang-16 libclang-rt-16-dev',
  'ld.lld-16': 'lld-16',
  'llvm-ar-16': 'llvm-16',
  'x86_64-w64-mingw32-g++-posix': 'g++-mingw-w64-x86-64-posix',
  'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
  'qemu-aarch64': 'qemu-user',
  hipcc: 'hipcc',
};

/**
 * Runs a command, by default in the repository's root. Resolves to its output if quiet. If the command fails, or takes
 * longer than timeout (in ms; 0 for no limit), rejects with a ToolError that names it.
 */
export function run(command, args, { env = {}, quiet = false, cwd = root, timeout = 0 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      timeout,
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

/** Runs npm. If npm has started this script, runs the same npm with Node, because on Windows npm is not a program. */
export function runNpm(args, options) {
  const own = process.env.npm_execpath;
  return own ? run(process.execPath, [own, ...args], options) : run('npm', args, options);
}

/** The output of `command --version`; undefined if the command is missing. */
export function version(command) {
  try {
    return execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** Whether the first version number in the text is at least this. */
export const atLeast = (text, [major, minor = 0]) => {
  const [, a, b] = /(\d+)\.(\d+)/.exec(text ?? '') ?? [0, 0, 0];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
};

/**
 * The C++ compiler to build with. CXX can name another, as for CMake. On Windows it must be clang: g++ does not align
 * vectors on the stack there, and Visual Studio's own compiler has no vector types.
 */
export const compiler = () =>
  process.env.CXX ?? (process.platform === 'win32' ? ['clang++'] : ['g++', 'clang++', 'c++']).find(version);

/** The tools missing for the build, one line each. */
function missingForBuild() {
  const missing = [];
  if (!atLeast(process.versions.node, [20, 17])) {
    missing.push(`Node.js 20.17 or newer: this is ${process.versions.node}; see https://nodejs.org`);
  }
  if (!atLeast(version('cmake'), [3, 18])) {
    missing.push('CMake 3.18 or newer: apt-get install cmake, dnf install cmake, brew install cmake, or Visual Studio');
  }
  if (!version('ninja') && !version('make')) {
    missing.push(
      'Ninja or Make: apt-get install ninja-build, dnf install ninja-build, brew install ninja, or Visual Studio',
    );
  }
  const found = compiler();
  if (!found || !compilesKernels(found)) {
    missing.push(
      'a C++20 compiler (g++ 12 or clang 14, or newer): apt-get install g++, dnf install gcc-c++, xcode-select --install, ' +
        'or on Windows "C++ Clang tools" of Visual Studio, from its Developer PowerShell',
    );
  }
  return missing;
}

/**
 * Whether the compiler knows C++20 and the kernels' vector shuffles. compiler: a command, perhaps with arguments, such
 * as "ccache g++".
 */
function compilesKernels(compiler) {
  const [program, ...flags] = version(compiler) ? [compiler] : compiler.split(' ');
  const source = `#include <span>
    using Vector [[gnu::vector_size(16)]] = int;
    int main() { return std::span<int>().size() + __builtin_shufflevector(Vector{}, Vector{}, 1, 0, 3, 2)[0]; }`;
  const args = [...flags, '-std=c++20', '-fsyntax-only', '-x', 'c++', '-'];
  return spawnSync(program, args, { input: source, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0;
}

/** Throws a ToolError that lists all tools missing for the build. */
export function checkBuildTools() {
  const missing = missingForBuild();
  if (missing.length > 0) throw new ToolError(`Hearth cannot be built yet. Please install\n  ${missing.join('\n  ')}`);
}

/** Tries to install missing commands. Throws NotRun if one is still missing. */
export const requireCommands = (...commands) =>
  requirePackages(() => commands.filter((command) => !version(command)).map((command) => packages[command]));

/** Like requireCommands(), for missing files. files: path -> the Debian package that contains it. */
export const requireFiles = (files) =>
  requirePackages(() =>
    Object.keys(files)
      .filter((path) => !existsSync(path))
      .map((path) => files[path]),
  );

/** Like requireCommands(), for Python with virtual environments. */
export const requirePython = () =>
  requirePackages(() => (spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0 ? [] : ['python3-venv']));

/** Lets two of our processes install something in turn. Without the lock, the second apt-get would fail. */
const aptLock = '/tmp/hearth-apt.lock';

/**
 * missing: returns the Debian packages that are still missing. Installs them only as root on Debian, as in a container
 * or on a CI machine. Changes nothing elsewhere.
 */
async function requirePackages(missing) {
  const wanted = missing();
  if (wanted.length > 0 && process.getuid?.() === 0 && version('apt-get')) {
    console.log(`installing ${wanted.join(' ')} with apt-get`);
    const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true };
    await run('flock', [aptLock, 'apt-get', 'update', '-q'], options).catch(() => undefined);
    const once = ['--no-install-recommends', '-o', 'APT::Keep-Downloaded-Packages=false'];
    const install = ['apt-get', 'install', '-yq', ...once, ...wanted.join(' ').split(' ')];
    await run('flock', [aptLock, ...install], options).catch((error) =>
      console.log(error.output.trimEnd().split('\n').slice(-3).join('\n')),
    );
  }
  if (missing().length > 0)
    throw new NotRun(`needs ${missing().join(' and ')}: apt-get install ${missing().join(' ')}`);
}

/** Lets make use all cores. Ninja does so anyway. */
export const buildEnv = () => ({
  CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(availableParallelism()),
});

const isUsage = (error) => String(error?.code).startsWith('ERR_PARSE_ARGS');

/** The script's options on the command line (see util.parseArgs). An unknown option ends the process with a message. */
export function optionsFrom(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (!isUsage(error)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Runs a script's main function. For a ToolError or an unknown option, prints only the message. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof ToolError || isUsage(error) ? `${error.output ?? ''}\n${error.message}` : error);
    process.exitCode = 1;
  }
}
