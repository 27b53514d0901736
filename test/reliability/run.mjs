// `npm run test:reliability` tries everything in full, for hours; `-- flood fuzz` some of it; `-- soak --minutes 60` the
// soak. Each program of test/fuzz gets as many minutes as the soak.
import { parseArgs } from 'node:util';
import { main, run, ToolError } from '../../scripts/tools.mjs';
import { fuzz } from '../fuzz/run.mjs';

await main(async () => {
  const options = { minutes: { type: 'string', default: '60' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const isAll = positionals.length === 0;
  const files = (isAll ? [''] : positionals).map((name) => `test/reliability/${name}`);
  await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files, '--disableConsoleIntercept'], {
    env: { HEARTH_RELIABILITY: 'full', HEARTH_SOAK_MINUTES: values.minutes },
  });
  if (!isAll && !positionals.includes('fuzz')) return;
  const { failed } = await fuzz(60 * Number(values.minutes));
  if (failed > 0) throw new ToolError(`${failed} fuzz programs found something`);
});
