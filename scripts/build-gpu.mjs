// `npm run build:gpu`: the GPU kernels, by each vendor's compiler that is here, into dist/gpu.
//   build-gpu.mjs                 all GPUs that the compilers know
//   build-gpu.mjs gfx942 sm_89    these instead
import { buildAmd } from './build-amd.mjs';
import { buildNvidia, whyNoNvcc } from './build-nvidia.mjs';
import { main, ToolError, version } from './tools.mjs';

await main(async () => {
  const names = process.argv.slice(2);
  const amd = names.filter((name) => name.startsWith('gfx'));
  const nvidia = names.filter((name) => name.startsWith('sm_')).map((name) => name.slice(3));
  const unknown = names.find((name) => !/^(gfx|sm_)/.test(name));
  if (unknown) throw new ToolError(`no GPU architecture is called "${unknown}"; they begin with gfx or sm_`);
  const isAll = names.length === 0;
  let failed = 0;
  if (isAll && !version('hipcc')) console.log('not compiled for AMD: no hipcc');
  else if (isAll || amd.length > 0) failed += (await buildAmd(isAll ? undefined : amd)).failed;
  if (isAll && whyNoNvcc()) console.log(`not compiled for NVIDIA: ${whyNoNvcc()}`);
  else if (isAll || nvidia.length > 0) failed += (await buildNvidia(isAll ? undefined : nvidia)).failed;
  if (failed > 0) process.exitCode = 1;
});
