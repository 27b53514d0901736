// `npm run test:reliability` runs everything in full, for hours; `-- flood fuzz` only some of it; `-- soak --minutes
// 60` the soak. Each program in test/fuzz and each claim in test/fuzz/ts (`-- fuzz-ts`, `-- fuzz-guided`) runs for as
// many minutes as the soak; `--claim markdown` chooses one claim. `-- kernels` tests the kernels for AVX2 and AVX-VNNI
// with AddressSanitizer and UBSan, which take minutes to compile. `-- table` runs no tests: it writes faults.md from
// the last results.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAsanKernels } from '../../scripts/build-native.mjs';
import { main, root, run, ToolError } from '../../scripts/tools.mjs';
import { fuzz } from '../fuzz/run.mjs';
import { fuzzGuided } from '../fuzz/ts/guided.mjs';
import { writeFaultsTable } from './faults-table.mjs';

await main(async () => {
  const options = { minutes: { type: 'string', default: '60' }, claim: { type: 'string', multiple: true } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals[0] === 'table') return writeFaultsTable(positionals[1]);
  const isAll = positionals.length === 0;
  const isWanted = (name) => isAll || positionals.includes(name);
  const names = positionals.filter((name) => !['kernels', 'fuzz-guided'].includes(name));
  const files = names.map((name) => (name === 'fuzz-ts' ? 'test/fuzz/ts/' : `test/reliability/${name}`));
  if (isAll) files.push('test/reliability/', 'test/fuzz/ts/');
  if (files.length > 0)
    await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files, '--disableConsoleIntercept'], {
      env: { HEARTH_RELIABILITY: 'full', HEARTH_SOAK_MINUTES: values.minutes, HEARTH_FUZZ_MINUTES: values.minutes },
    });
  if (isWanted('kernels')) {
    await buildAsanKernels();
    await run(join(root, 'build/asan-kernels/kernels_tests'), []);
  }
  if (isWanted('fuzz-guided')) await fuzzGuided(60 * Number(values.minutes), values.claim ?? []);
  if (!isWanted('fuzz')) return;
  const { failed } = await fuzz(60 * Number(values.minutes));
  if (failed > 0) throw new ToolError(`${failed} fuzz programs found something`);
});
