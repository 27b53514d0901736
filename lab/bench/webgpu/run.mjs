// `node lab/bench/webgpu/run.mjs [small | mid]`: downloads wgpu-native, builds the benchmark of the WGSL kernels and
// runs it. main.cc explains the arguments. It needs a Vulkan driver: a GPU's, or Debian's mesa-vulkan-drivers, which
// computes on the processor.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compiler, main, root, run } from '../../../scripts/tools.mjs';
import { wgpuHeaders, wgpuNative } from '../../../scripts/wgpu-native.mjs';

/** Resolves to the path of the program. It must run in the repository's root to find its kernels. */
export async function buildWebgpuBench() {
  const library = dirname(await wgpuNative());
  const program = join(root, 'build', 'webgpu_bench');
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.cc'));
  const [command, ...flags] = compiler().split(' ');
  await run(command, [
    ...[...flags, '-std=c++20', '-O2', '-Wall', '-Wextra', '-Werror', `-I${wgpuHeaders}`],
    ...sources.map((name) => join(import.meta.dirname, name)),
    ...['-o', program, `-L${library}`, '-l:libwgpu_native-release.so', `-Wl,-rpath,${library}`],
  ]);
  return program;
}

if (process.argv[1] === import.meta.filename) {
  await main(async () => run(await buildWebgpuBench(), process.argv.slice(2)));
}
