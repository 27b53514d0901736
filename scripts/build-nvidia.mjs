// Compiles kernels/hip for NVIDIA GPUs with nvcc 12.8 or newer into dist/gpu/nvidia.fatbin. The file has machine code
// for each generation from Turing on, and PTX for the last one, which drivers translate for newer GPUs.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { atLeast, root, run, ToolError, version } from './tools.mjs';

/** Compute capabilities. A file with fewer than kCodes in native/gpu/nvidia.cc lists must not ship. */
const capabilities = ['75', '80', '86', '89', '90', '100', '120'];
const oldest = [12, 8];

/** nvcc's version as "release 13.0"; undefined without nvcc. */
const releaseOf = () => /release [\d.]+/.exec(version('nvcc') ?? '')?.[0];

/** Why nvcc cannot compile the kernels; undefined if it can. */
export function whyNoNvcc() {
  const release = releaseOf();
  if (!release) return 'no nvcc: CUDA is not installed';
  return atLeast(release, oldest) ? undefined : `nvcc ${release} is too old: ${oldest.join('.')} or newer is needed`;
}

/** Reads ptxas's report: for each kernel, its compute capability and how many bytes it spills. */
function kernelsIn(log) {
  const pattern = /Compiling entry function '\w+' for 'sm_(\d+)'.*?(\d+) bytes spill stores/gs;
  return [...log.matchAll(pattern)].map(([, capability, spilled]) => ({ capability, spilled: Number(spilled) }));
}

/** Builds and checks the file that ships. Resolves to the numbers of capabilities that passed and failed. */
export async function buildNvidia() {
  const output = join(root, 'dist/gpu/nvidia.fatbin');
  const result = check(await compile(capabilities, output, ['--compress-mode=size']), capabilities);
  console.log(`${output}: ${(statSync(output).size / 2 ** 20).toFixed(1)} MiB`);
  if (result.failed > 0) rmSync(output); // otherwise the next package would contain it
  return result;
}

/**
 * Compiles for two capabilities, as a test: for one like the shipped file, and for the oldest without optimizations, if
 * nvcc can leave them out. That takes a sixth of the time, and still rejects instructions that the oldest GPUs lack.
 */
export async function tryNvidia() {
  const quick = atLeast(releaseOf(), [13]) ? ['--Ofast-compile=max'] : [];
  const made = (name, options) =>
    compile([name], join(root, `build/gpu/sm_${name}.fatbin`), [...options, '--compress-mode=none']);
  const logs = await Promise.all([made('89', []), made('75', quick)]);
  return check(logs.join('\n'), ['89', '75']);
}

/** Resolves to ptxas's report. */
async function compile(names, output, options) {
  mkdirSync(dirname(output), { recursive: true });
  rmSync(output, { force: true }); // may be from older sources
  const last = names.at(-1);
  return run(
    'nvcc',
    [
      ...names.flatMap((name) => ['-gencode', `arch=compute_${name},code=sm_${name}`]),
      ...['-gencode', `arch=compute_${last},code=compute_${last}`],
      // -fmad=false: otherwise the compiler contracts differently in kernels that must give the same bits.
      ...['-x', 'cu', '-std=c++20', '-O3', '-fmad=false', '--expt-relaxed-constexpr', '-DGPU_NVIDIA'],
      ...['--threads', String(availableParallelism()), '-Xptxas', '-v', ...options],
      ...['-Ikernels', '-Ikernels/hip', '-fatbin', 'kernels/hip/kernels.hip', '-o', output],
    ],
    { quiet: true },
  ).catch((error) => {
    throw new ToolError(`${error.message}\n${error.output ?? ''}`);
  });
}

/** Each capability must have the same kernels. */
function check(log, names) {
  const kernels = kernelsIn(log);
  const expected = kernels.length / names.length;
  let failed = 0;
  for (const name of names) {
    const own = kernels.filter(({ capability }) => capability === name);
    const isRight = own.length > 0 && own.length === expected;
    if (!isRight) failed++;
    const spilling = own.filter(({ spilled }) => spilled > 0);
    const most = Math.max(0, ...spilling.map(({ spilled }) => spilled));
    console.log(
      `${isRight ? 'ok' : 'FAIL'} sm_${name}: ${own.length} kernels, ${spilling.length} spill at most ${most} bytes`,
    );
  }
  return { passed: names.length - failed, failed };
}
