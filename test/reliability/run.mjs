// `npm run test:reliability` tries everything in full, for hours; `-- flood faults` some of it; `-- soak --minutes 60` the soak.
import { parseArgs } from 'node:util';
import { main, run } from '../../scripts/tools.mjs';

await main(async () => {
  const options = { minutes: { type: 'string', default: '60' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const files = positionals.length > 0 ? positionals.map((name) => `test/reliability/${name}`) : ['test/reliability/'];
  await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--disable-console-intercept', ...files], {
    env: { HEARTH_RELIABILITY: 'full', HEARTH_SOAK_MINUTES: values.minutes },
  });
});
