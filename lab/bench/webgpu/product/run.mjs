// `node lab/bench/webgpu/product/run.mjs WHAT [MODEL [BACKEND [N]]]`: tries the product's WebGPU backend on this
// machine's GPU. WHAT is one of: places; reference FOLDER; tokens MODEL; speeds MODEL; race MODEL; report;
// model FILE SHAPE. program.ts describes them.
// --timed: also prints the time spent in wgpu-native's functions.
// --submits: also prints how long the GPU works on the longest submit.
// --build: only builds dist/product.cjs, which runs beside hearth.node on machines without the repository.
// HEARTH_WEBGPU_ANY_ADAPTER=1 also accepts a driver that computes on the processor.
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { compiler, main, root, run } from '../../../../scripts/tools.mjs';
import { wgpuNative } from '../../../../scripts/wgpu-native.mjs';

/** Builds a library beside wgpu-native that times each call and passes it on to wgpu-native. Returns its path. */
async function buildTiming(library) {
  const target = join(dirname(library), 'libtiming_wgpu.so');
  const [command, ...flags] = compiler().split(' ');
  await run(command, [
    ...[...flags, '-std=c++20', '-O2', '-fPIC', '-shared', '-Wall', '-Wextra', '-Werror'],
    ...[join(import.meta.dirname, 'timing_wgpu.cc'), '-o', target, `-L${dirname(library)}`, '-Wl,--no-as-needed'],
    ...['-l:libwgpu_native-release.so', '-Wl,-rpath,$ORIGIN'],
  ]);
  return target;
}

await main(async () => {
  const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
  const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const library = await wgpuNative();
  const outfile = join(root, 'dist/product.cjs');
  const source = join(import.meta.dirname, 'program.ts');
  const form = { platform: 'node', target: 'node20', format: 'cjs', packages: 'external', logLevel: 'warning' };
  await build({ entryPoints: [source], outfile, bundle: true, ...form });
  const timing = await buildTiming(library);
  if (flags.includes('--build')) return;
  const isTimed = flags.includes('--timed') || flags.includes('--submits');
  const env = { HEARTH_WGPU_LIBRARY: isTimed ? timing : library };
  if (flags.includes('--submits')) env.HEARTH_WAIT_FOR_SUBMITS = '1';
  await run(process.execPath, [outfile, ...words], { env });
});
