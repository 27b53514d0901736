// `npm run build:gpu`: compiles the GPU kernels into dist/gpu, with the vendors' compilers that are installed.
//   build-gpu.mjs             for all GPUs that the compilers know
//   build-gpu.mjs --release   the same, but fails if a compiler is missing
//   build-gpu.mjs gfx1151     only for the given AMD architectures
import { parseArgs } from 'node:util';
import { buildAmd } from './build-amd.mjs';
import { buildNvidia, whyNoNvcc } from './build-nvidia.mjs';
import { main, ToolError, version } from './tools.mjs';

const vendors = [
  { name: 'AMD', whyNot: () => (version('hipcc') ? undefined : 'no hipcc'), build: () => buildAmd() },
  { name: 'NVIDIA', whyNot: whyNoNvcc, build: buildNvidia },
];

async function buildAll(isRelease) {
  const found = vendors.filter(({ name, whyNot }) => {
    const reason = whyNot();
    if (reason && isRelease) throw new ToolError(`not compiled for ${name}: ${reason}`);
    if (reason) console.log(`not compiled for ${name}: ${reason}`);
    return !reason;
  });
  let failed = 0;
  for (const { build } of found) failed += (await build()).failed;
  return failed;
}

await main(async () => {
  const options = { release: { type: 'boolean' } };
  const { values, positionals: names } = parseArgs({ options, allowPositionals: true });
  const unknown = names.find((name) => !name.startsWith('gfx'));
  if (unknown) throw new ToolError(`"${unknown}" is not an AMD architecture: their names begin with gfx`);
  const failed = names.length > 0 ? (await buildAmd(names)).failed : await buildAll(values.release);
  if (failed > 0) process.exitCode = 1;
});
