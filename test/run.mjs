// `npm test`: runs all parts of the tests and adds up their results. `node test/run.mjs --only unit` runs one part;
// `--with everywhere` also runs a part that usually only CI runs. `--quick` takes a minute: it runs the checks and the
// tests without an engine, for every save. A part that this machine cannot run is reported as not run; if CI is set, it
// counts as failed.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tryAmd } from '../scripts/build-amd.mjs';
import { buildAarch64, buildAsan, buildNative, buildTsan } from '../scripts/build-native.mjs';
import { tryNvidia, whyNoNvcc } from '../scripts/build-nvidia.mjs';
import { check } from '../scripts/check.mjs';
import { main, NotRun, requireCommands, root, run, ToolError } from '../scripts/tools.mjs';
import { everywhere } from './everywhere/run.mjs';
import { fuzz } from './fuzz/run.mjs';
import { report, runLanes } from './support/lanes.mjs';
import { add, nothing, processorSeconds, program, vitest } from './support/results.mjs';
import { webgpuTests } from './webgpu/run.mjs';

/** Runs the tests of kernels/ and native/ in parallel, with every variant that this CPU can run. */
async function programs(folder, env = {}) {
  const kernels = program(join(root, folder, 'kernels_tests'), [], env);
  return add(...(await Promise.all([kernels, inHalves(join(root, folder, 'native_tests'), [], env)])));
}

async function nativeTests() {
  await buildNative();
  return programs('build/native');
}

/** Runs a program's tests in two processes, half of them in each. */
async function inHalves(command, args, env) {
  const half = (share) => program(command, [...args, '--share', share], env);
  return add(...(await Promise.all(['0/2', '1/2'].map(half))));
}

/** Runs the HIP kernels on an emulated GPU. Needs x86-64. */
async function emulatedGpu(folder, env = {}) {
  if (process.arch !== 'x64') throw new NotRun('the emulation of a GPU runs on x86-64 only');
  return inHalves(join(root, folder, 'hip_tests/hip_tests'), [], env);
}

async function hipTests() {
  await buildNative();
  return emulatedGpu('build/native');
}

const webgpu = () => webgpuTests((files, env) => editorTests(files, env).catch(countNotRun));

/** Compiles the kernels with AMD's compiler: no spills, no scratch memory, and the expected instructions. */
async function hipccTests() {
  await requireCommands('hipcc');
  return tryAmd();
}

/**
 * Compiles the kernels with NVIDIA's compiler, if it is installed; Debian 12 has no recent one, so its absence is no
 * failure. Compiles for the oldest architecture and for one with little shared memory; the others differ from these
 * only in sizes.
 */
async function nvccTests() {
  const problem = whyNoNvcc();
  if (!problem) return tryNvidia();
  console.log(`not compiled: ${problem}`);
  return nothing;
}

async function asanTests() {
  await buildAsan();
  const env = { ASAN_OPTIONS: 'detect_leaks=1', UBSAN_OPTIONS: 'print_stacktrace=1' };
  const sum = await programs('build/asan', env);
  return process.arch === 'x64' ? add(sum, await emulatedGpu('build/asan', env)) : sum;
}

/** The tests that use several threads. */
async function tsanTests() {
  await buildTsan();
  const options = `halt_on_error=1 suppressions=${join(root, 'test/thread-sanitizer.supp')}`;
  return program(join(root, 'build/tsan/thread_tests'), [], { TSAN_OPTIONS: options });
}

async function aarch64Tests() {
  await requireCommands('aarch64-linux-gnu-g++', 'qemu-aarch64');
  await buildAarch64();
  const emulated = ['-L', '/usr/aarch64-linux-gnu', join(root, 'build/aarch64/kernels_tests')];
  const newest = inHalves('qemu-aarch64', emulated, {
    HEARTH_EMULATED: '1',
    HEARTH_EXPECTED_VARIANTS: ' i8mm neon scalar', // the emulator has every instruction that it knows
  });
  const older = ([processor, variants]) =>
    program('qemu-aarch64', ['-cpu', processor, ...emulated, 'CPU variant'], { HEARTH_EXPECTED_VARIANTS: variants });
  const processors = [
    ['cortex-a76', ' neon scalar'], // of a Raspberry Pi 5
    ['cortex-a72', ' scalar'], // of a Raspberry Pi 4
  ];
  return add(...(await Promise.all([newest, ...processors.map(older)])));
}

/** files: in test/e2e; by default all files except those that have a part of their own. */
async function editorTests(files = [], env = {}) {
  await run('bash', ['scripts/install-vscode.sh']).catch((error) => {
    throw new NotRun(`VS Code cannot be installed here; ${error.message}`);
  });
  return vitest('e2e', ['--root', 'test/e2e', ...files], env);
}

/**
 * Installs the Debian packages that the parts need, if that needs no password, while the first parts already compute. A
 * part that still lacks a package is reported as not run.
 */
async function installTools() {
  await requireCommands('clang-format', 'hipcc', 'clang++-16', 'aarch64-linux-gnu-g++', 'qemu-aarch64').catch(() => {});
  return nothing;
}

/** The order is that in which they begin: the longest are not the last ones, when the other lanes might be idle. */
const computing = {
  native: ['C++ tests', nativeTests],
  everywhere: [
    'packages for Windows and Alpine', // those that run here without an emulator
    () => everywhere({ system: ['alpine-x64', 'win32-x64'], suite: ['package', 'bits', 'cli', 'lsp', 'server'] }),
  ],
  asan: ['C++ tests with AddressSanitizer and UBSan', asanTests],
  hipcc: ['GPU kernels by the compiler for AMD', hipccTests],
  aarch64: ['kernel tests on 64-bit ARM', aarch64Tests],
  fuzz: ['fuzzing with libFuzzer', () => fuzz()],
  nvcc: ['GPU kernels by the compiler for NVIDIA', nvccTests],
  hip: ['GPU kernels in an emulation, and the way to a real GPU', hipTests],
  tsan: ['C++ tests with ThreadSanitizer', tsanTests],
};
const waiting = {
  tools: ['tools for the tests', installTools],
  check: ['lint, types, formats', check],
  e2e: ['real VS Code', editorTests],
  unit: ['TypeScript tests', () => vitest('unit', [])],
  webgpu: ['WGSL kernels with WebGPU', webgpu],
};
/** They run only if they are named. CI runs `everywhere`. */
const extra = ['everywhere', 'webgpu'];
const withoutEngine = () => vitest('quick', ['--project', 'pure', '--project', 'alone']);
const quick = { check: waiting.check, quick: ['TypeScript tests without an engine', withoutEngine] };
const all = { ...computing, ...waiting, ...quick };

const buildFirst = ['asan', 'hip', 'tsan', 'webgpu']; // they take objects from the build of `native`
const after = {
  ...Object.fromEntries(buildFirst.map((name) => [name, ['native']])),
  hip: ['native', 'hipcc'], // which also installs AMD's runtime
  unit: ['native'], // which builds the fake GPUs of some of its tests
};

/** The result of a part that could not be run here. */
function countNotRun(error) {
  if (!(error instanceof NotRun)) throw error;
  console.log(`not run: ${error.message}`);
  return { ...nothing, notRun: 1 };
}

/** Runs a part in this process and prints its counts. */
async function runPart([title, body]) {
  console.log(`\n--- ${title} ---`);
  const start = performance.now();
  let result;
  try {
    result = await body();
  } catch (error) {
    if (error instanceof NotRun) result = countNotRun(error);
    else console.log(error instanceof ToolError ? `${error.output ?? ''}\n${error.message}` : error);
    result ??= { ...nothing, failed: 1 };
  }
  const sums = { ...add(nothing, result), seconds: (performance.now() - start) / 1000, processor: processorSeconds() };
  console.log(counts(title, sums));
  return sums;
}

function counts(title, { passed, failed, notRun, seconds, processor }) {
  const left = notRun ? `, ${notRun} not run` : '';
  const used = processor === undefined ? '' : `, ${processor.toFixed(0)} s of processor`;
  return `${title}: ${passed} passed, ${failed} failed${left} in ${seconds.toFixed(1)} s${used}`;
}

/** One part runs in this process, so that its output comes at once; several run as processes, in lanes. */
async function runParts(names) {
  if (names.length === 1) return { [names[0]]: await runPart(all[names[0]]) };
  // Two parts must not build in the same folder at the same time.
  if (!names.includes('native') && names.some((name) => buildFirst.includes(name))) await buildNative();
  const lanes = {
    computing: [...Object.keys(computing), 'quick'].filter((name) => names.includes(name)),
    waiting: Object.keys(waiting).filter((name) => names.includes(name)),
  };
  const results = await runLanes(lanes, import.meta.filename, {
    args: ['--part'],
    onBegin: (name) => console.log(`begins: ${all[name][0]}`),
    onEnd: (output) => process.stdout.write(output),
    after,
  });
  console.log('');
  for (const name of names) {
    results[name] ??= { ...nothing, failed: 1, seconds: Number.NaN }; // its process has ended before its tests
    console.log(counts(all[name][0], results[name]));
  }
  return results;
}

await main(async () => {
  const list = { type: 'string', multiple: true };
  const { values } = parseArgs({
    options: { only: list, with: list, quick: { type: 'boolean' }, part: { type: 'string' } },
  });
  if (values.part) return report(await runPart(all[values.part]));
  const given = (lists = []) => lists.flatMap((each) => each.split(','));
  const parts = Object.keys({ ...computing, ...waiting }).filter((name) => !extra.includes(name));
  const standard = values.quick ? Object.keys(quick) : parts;
  const names = [...(values.only ? given(values.only) : standard), ...given(values.with)];
  const unknown = names.find((name) => !(name in all));
  if (unknown) throw new ToolError(`no part named ${unknown}; there are ${Object.keys(all).join(', ')}`);

  let sum = Object.values(await runParts(names)).reduce(add);
  if (process.env.CI) sum = { ...sum, failed: sum.failed + sum.notRun };
  else if (sum.notRun > 0) console.log(`\n${sum.notRun} not run on this machine, as said above`);
  console.log('\nthe slowest tests:');
  for (const { name, seconds } of sum.slow) console.log(`${seconds.toFixed(1)} s: ${name}`);
  for (const name of sum.names) console.log(`failed: ${name}`); // again, since a long output may be cut
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  if (sum.failed > 0) process.exitCode = 1;
});
