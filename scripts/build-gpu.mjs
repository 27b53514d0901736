// `npm run build:gpu`: compiles the GPU kernels into dist/gpu, with the vendors' compilers that are installed.
//   build-gpu.mjs           all GPUs that the compilers know
//   build-gpu.mjs gfx1151   these of AMD instead
import { buildAmd } from './build-amd.mjs';
import { buildNvidia, whyNoNvcc } from './build-nvidia.mjs';
import { main, ToolError, version } from './tools.mjs';

await main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !name.startsWith('gfx'));
  if (unknown) throw new ToolError(`no architecture of AMD is called "${unknown}"; their names begin with gfx`);
  const isAll = names.length === 0;
  let failed = 0;
  if (isAll && !version('hipcc')) console.log('not compiled for AMD: no hipcc');
  else failed += (await buildAmd(isAll ? undefined : names)).failed;
  if (isAll && whyNoNvcc()) console.log(`not compiled for NVIDIA: ${whyNoNvcc()}`);
  else if (isAll) failed += (await buildNvidia()).failed;
  if (failed > 0) process.exitCode = 1;
});
