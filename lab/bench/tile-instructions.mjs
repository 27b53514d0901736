// Counts the instructions that the kernels for 64-bit ARM execute per token to multiply a tile of 16 rows x 1024
// columns. Compares the kernels that the packages' compiler builds (zig) with those that GCC builds:
//   node lab/bench/tile-instructions.mjs
// Unpacking, scales and spilled registers are included. No processor is timed: an emulator lists every instruction that
// it executes. A run with one product is subtracted from a run with two, which leaves the instructions of one product.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildAarch64Bench } from '../../scripts/build-native.mjs';
import { buildTarget } from '../../scripts/targets/build.mjs';
import { main, root } from '../../scripts/tools.mjs';

async function countInstructions(program, ...args) {
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
        const program = join(root, 'build', build, 'kernels/tile_instructions');
        const count = (variant, products) => countInstructions(program, variant, type, tokens, products);
        const neon = ((await count('neon', 2)) - (await count('neon', 1))) / tokens;
        const i8mm = ((await count('i8mm', 2)) - (await count('i8mm', 1))) / tokens;
        cells.push(...[neon, i8mm].map((n) => Math.round(n).toLocaleString('en')), (neon / i8mm).toFixed(2));
      }
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
});
