// Counts the instructions that the kernels for 64-bit ARM execute for one row tile, 16 rows x 1024 columns, and one
// token, built by the packages' compiler and by GCC:
//   node lab/bench/tile-instructions.mjs
// Unpacking, scales and spilled registers are included. No processor is timed: an emulator lists every instruction that
// it executes, for two products and for one, and the difference counts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildAarch64Bench } from '../../scripts/build-native.mjs';
import { buildTarget } from '../../scripts/targets/build.mjs';
import { main, root } from '../../scripts/tools.mjs';

async function executed(program, ...args) {
  const options = ['-L', '/usr/aarch64-linux-gnu', '-singlestep', '-d', 'exec,nochain'];
  const emulator = spawn('qemu-aarch64', [...options, program, ...args.map(String)]);
  const ended = new Promise((resolve) => emulator.on('close', resolve));
  let count = 0;
  for await (const line of createInterface({ input: emulator.stderr })) if (line.startsWith('Trace ')) count++;
  if ((await ended) !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
  return count;
}

await main(async () => {
  await buildAarch64Bench();
  await buildTarget('linux-arm64', ['tile_instructions']);
  console.log('| format | tokens | zig: neon | i8mm | neon / i8mm | GCC: neon | i8mm | neon / i8mm |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const type of ['Q4_0', 'Q8_0', 'Q4_K', 'Q6_K']) {
    for (const tokens of [1, 4, 64]) {
      const cells = [type, tokens];
      for (const build of ['linux-arm64', 'aarch64-bench']) {
        const each = (variant, times) =>
          executed(join(root, 'build', build, 'kernels/tile_instructions'), variant, type, tokens, times);
        const neon = ((await each('neon', 2)) - (await each('neon', 1))) / tokens;
        const i8mm = ((await each('i8mm', 2)) - (await each('i8mm', 1))) / tokens;
        cells.push(...[neon, i8mm].map((n) => Math.round(n).toLocaleString('en')), (neon / i8mm).toFixed(2));
      }
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
});
