// `npm run bench`: measures Hearth and llama.cpp in turns on this machine; options.ts has its options.
import { main, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../../test/support/bundled.mjs';

const { bench, BenchError } = await bundled('bench', 'lab/bench/bench.ts');
await main(() =>
  bench(root, process.argv.slice(2)).catch((error) => {
    throw error instanceof BenchError ? new ToolError(error.message) : error;
  }),
);
