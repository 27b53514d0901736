// Builds native/ and kernels/:
//   build-native.mjs            addon and C++ tests with cmake-js, in build/native; dist/hearth.node
//   build-native.mjs --addon    the addon alone, as the demo needs it
//   build-native.mjs --debug    without optimization, in build/debug
//   build-native.mjs --asan     C++ tests with AddressSanitizer and UBSan, in build/asan
//   build-native.mjs --tsan     C++ tests with ThreadSanitizer, in build/tsan
//   build-native.mjs --fuzz     programs for libFuzzer with clang, in build/fuzz
//   build-native.mjs --aarch64  kernel tests for 64-bit ARM, in build/aarch64
//   build-native.mjs --target linux-arm64  the addon for another system (scripts/targets/), in build/linux-arm64
// Where the variable CI is set, warnings of the compiler are errors.
import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTests, isConfigured, warningsAreErrors } from './cmake.mjs';
import { buildEnv, checkBuildTools, main, root, run, ToolError } from './tools.mjs';

/** The addon and the tests. cmake-js supplies the headers of Node-API from npm packages: nothing is downloaded. */
export async function buildNative({ debug = false, addon = false } = {}) {
  const require = createRequire(import.meta.url);
  const cmakeJs = join(require.resolve('cmake-js/package.json'), '..', 'bin', 'cmake-js');
  const folder = debug ? 'build/debug' : 'build/native';
  const args = ['-d', 'native', '-O', folder, '--log-level', 'error', ...(debug ? ['--debug'] : [])];
  if (!isConfigured(folder)) {
    const defined = warningsAreErrors.map((option) => `--CD${option}`);
    await run(process.execPath, [cmakeJs, 'configure', ...args, ...defined], { quiet: true });
  }
  await run(process.execPath, [cmakeJs, 'build', ...args, ...(addon ? ['--target', 'hearth_addon'] : [])], {
    env: buildEnv(),
  });
  install(join(root, folder, debug ? 'Debug' : 'Release', 'hearth.node'));
}

// Replaced by a rename, so that a process that has mapped the old addon keeps the old file.
function install(addon) {
  if (!existsSync(addon)) throw new ToolError(`the build made no ${addon}: is native/addon.cc there?`);
  const target = join(root, 'dist', 'hearth.node');
  mkdirSync(join(root, 'dist'), { recursive: true });
  cpSync(addon, `${target}.new`);
  renameSync(`${target}.new`, target);
}

const hipTests = process.arch === 'x64' ? ['hip_tests'] : [];
export const buildAsan = () =>
  buildTests('build/asan', ['-DHEARTH_ASAN=ON'], ['kernels_tests', 'native_tests', ...hipTests]);

/** Includes the variants that the build above omits because they take minutes to compile. */
export const buildAsanKernels = () =>
  buildTests('build/asan-kernels', ['-DHEARTH_ASAN=ON', '-DHEARTH_ASAN_ALL=ON'], ['kernels_tests']);

export const buildTsan = () => buildTests('build/tsan', ['-DHEARTH_TSAN=ON'], ['thread_tests']);

export const buildFuzz = () => buildTests('build/fuzz', ['-DCMAKE_CXX_COMPILER=clang++-16'], ['all'], 'test/fuzz');

export const buildAarch64 = (programs = ['kernels_tests']) =>
  buildTests('build/aarch64', ['-DCMAKE_TOOLCHAIN_FILE=aarch64-linux-gnu.cmake'], programs);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const flag = { type: 'boolean', default: false };
    const others = { asan: buildAsan, tsan: buildTsan, fuzz: buildFuzz, aarch64: buildAarch64 };
    const names = ['debug', 'addon', ...Object.keys(others)];
    const flags = Object.fromEntries(names.map((name) => [name, flag]));
    const { values } = parseArgs({ options: { ...flags, target: { type: 'string' } } });
    if (values.target) return (await import('./targets/build.mjs')).buildTarget(values.target);
    checkBuildTools();
    const build = Object.keys(others).find((name) => values[name]);
    await (build ? others[build]() : buildNative(values));
  });
}
