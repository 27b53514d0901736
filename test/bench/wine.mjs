// How fast the package for Windows computes under Wine, beside this machine's own build, which runs the same code natively:
//   node test/bench/wine.mjs [--rounds 7] [--model FILE]
// after `npm run test:everywhere -- --system win32-x64 --suite package`. One thread each, in turns; of each the best run counts,
// as a busy machine only ever makes a run slower.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { main, root, run, ToolError } from '../../scripts/tools.mjs';
import { folderOf } from '../everywhere/suites.mjs';
import { systems } from '../everywhere/systems.mjs';

/** The tools as one file, which finds the addon beside it. */
async function benchIn(dist) {
  const outfile = join(dist, 'bench.cjs');
  const source = join(root, 'test/tools/tool.ts');
  const options = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'error' };
  await build({ entryPoints: [source], outfile, external: ['web-tree-sitter', 'typescript'], ...options });
  return outfile;
}

async function speeds([command, ...args], program, model) {
  const options = ['bench', '--json', '--threads', '1', '-p', '256', '-n', '48', '-r', '15', '--model', model];
  const output = await run(command, [...args, program, ...options], { quiet: true });
  const { measures } = JSON.parse(output.slice(output.indexOf('{')));
  const best = (name) => Math.max(...measures[name].samples);
  return { prefill: best('prefill 256'), decode: best('decode 48') };
}

await main(async () => {
  const options = { rounds: { type: 'string', default: '7' }, model: { type: 'string' } };
  const { rounds, model = join(root, 'models/starter.gguf') } = parseArgs({ options }).values;
  const windows = join(folderOf('win32-x64'), 'extension/dist');
  if (!existsSync(windows)) throw new ToolError('there is no package for Windows: see the top of this file');
  const sides = {
    Linux: [[process.execPath], await benchIn(join(root, 'dist'))],
    Windows: [await systems['win32-x64'].node(), await benchIn(windows)],
  };
  const best = {};
  for (let round = 0; round < Number(rounds); round++) {
    for (const [name, [node, program]] of Object.entries(sides)) {
      const found = await speeds(node, program, model);
      best[name] ??= { prefill: 0, decode: 0 };
      for (const what of ['prefill', 'decode']) best[name][what] = Math.max(best[name][what], found[what]);
    }
  }
  for (const what of ['prefill', 'decode']) {
    const { Linux, Windows } = best;
    const ratio = (Windows[what] / Linux[what]).toFixed(3);
    const figures = `Linux ${Linux[what].toFixed(1)}, Windows under Wine ${Windows[what].toFixed(1)} tokens/s`;
    console.log(`${what}: ${figures}, ratio ${ratio}`);
  }
});
