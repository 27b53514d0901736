// Builds native/ and kernels/:
//   build-native.mjs            addon and C++ tests with cmake-js, in build/native; copies the addon to dist/
//   build-native.mjs --addon    only the addon
//   build-native.mjs --debug    without optimization, in build/debug
//   build-native.mjs --asan     C++ tests with AddressSanitizer and UBSan, in build/asan
//   build-native.mjs --tsan     C++ tests with ThreadSanitizer, in build/tsan
//   build-native.mjs --fuzz     libFuzzer programs with clang, in build/fuzz
//   build-native.mjs --aarch64  kernel tests for 64-bit ARM, in build/aarch64
//   build-native.mjs --target linux-arm64  the addon for another system (scripts/targets/), in build/linux-arm64
// If the environment variable CI is set, compiler warnings are errors.
import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, cmakeJs, nodeApi } from './cmake.mjs';
import { checkBuildTools, compiler, main, root, ToolError } from './tools.mjs';

/** Builds the addon and, unless `addon` is set, the tests. */
export async function buildNative({ debug = false, addon = false } = {}) {
  const folder = debug ? 'build/debug' : 'build/native';
  await buildIn(folder, debug ? 'Debug' : 'Release', [addon ? 'hearth_addon' : 'all']);
  install(join(root, folder, 'addon/hearth.node'));
}

async function buildIn(folder, type, targets) {
  const options = [`-DCMAKE_BUILD_TYPE=${type}`, `-DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${join(root, folder, 'addon')}`];
  // On Windows, cmake-js and CMake would choose Visual Studio's own compiler.
  if (process.platform === 'win32') {
    await build(folder, [...options, `-DCMAKE_CXX_COMPILER=${compiler()}`, nodeApi()], targets);
  } else {
    await build(folder, options, targets, { configure: cmakeJs });
  }
}

// Replaces the addon by a rename, so that a process that has mapped the old file keeps it.
function install(addon) {
  if (!existsSync(addon)) throw new ToolError(`the build did not make ${addon}: does native/addon/addon.cc exist?`);
  const target = join(root, 'dist', 'hearth.node');
  mkdirSync(join(root, 'dist'), { recursive: true });
  cpSync(addon, `${target}.new`);
  renameSync(`${target}.new`, target);
}

const hipTests = process.arch === 'x64' ? ['hip_tests'] : [];
const fakeGpus = process.arch === 'x64' ? ['fake_amdhip64', 'fake_cuda'] : [];

/** Takes some kernel variants, and the fake GPU runtimes, from a build without sanitizers. */
async function buildSanitized(folder, options, targets) {
  await buildIn('build/native', 'Release', ['kernels_cpu', 'kernels_emulated_amx', ...fakeGpus]);
  const plain = `-DHEARTH_PLAIN_KERNELS=${join(root, 'build/native/kernels')}`;
  await build(folder, [...options, plain, '-DHEARTH_UNITY=ON'], targets);
}

export const buildAsan = () =>
  buildSanitized('build/asan', ['-DHEARTH_ASAN=ON'], ['kernels_tests', 'native_tests', ...hipTests]);

/** Also compiles the other kernel variants with AddressSanitizer. buildAsan() does not, since that takes minutes. */
export const buildAsanKernels = () =>
  buildSanitized('build/asan-kernels', ['-DHEARTH_ASAN=ON', '-DHEARTH_ASAN_ALL=ON'], ['kernels_tests']);

export const buildTsan = () => buildSanitized('build/tsan', ['-DHEARTH_TSAN=ON'], ['thread_tests']);

/** Builds the tests for WebGPU in the folder of buildNative(), whose libraries they use. */
export const buildWebgpuTests = () =>
  buildIn('build/native', 'Release', ['webgpu_tests', 'webgpu_model_test', 'losing_wgpu']);

export const buildFuzz = () =>
  build('build/fuzz', ['-DCMAKE_CXX_COMPILER=clang++-16'], ['all'], { source: 'test/fuzz' });

const aarch64 = '-DCMAKE_TOOLCHAIN_FILE=aarch64-linux-gnu.cmake';

/** Optimizes little, to compile quickly: zig makes the packages for ARM, so this compiler's optimizer needs no test. */
export const buildAarch64 = () => build('build/aarch64', [aarch64, '-DHEARTH_OPTIMIZATION=-O1'], ['kernels_tests']);

/** For lab/bench/tile-instructions.mjs. */
export const buildAarch64Bench = () => build('build/aarch64-bench', [aarch64], ['tile_instructions']);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const flag = { type: 'boolean', default: false };
    const others = { asan: buildAsan, tsan: buildTsan, fuzz: buildFuzz, aarch64: buildAarch64 };
    const names = ['debug', 'addon', ...Object.keys(others)];
    const flags = Object.fromEntries(names.map((name) => [name, flag]));
    const { values } = parseArgs({ options: { ...flags, target: { type: 'string' } } });
    if (values.target) return (await import('./targets/build.mjs')).buildTarget(values.target);
    checkBuildTools();
    const other = Object.keys(others).find((name) => values[name]);
    await (other ? others[other]() : buildNative(values));
  });
}
