// Compares the speed of packages with that of this machine's own build, made by g++ or another compiler of the machine:
//   node lab/bench/packages.mjs [--system linux-x64]... [--rounds 7] [--model FILE]
// Run `npm run test:everywhere -- --system NAME --suite package` for each system first. The Windows package runs under
// Wine, which runs its code natively. Each build computes with one thread, and they take turns, so that a busy minute
// affects all of them. The table also has the best samples, since other work can only slow a run down.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { programOptions } from '../../scripts/bundle.mjs';
import { main, root, run, ToolError } from '../../scripts/tools.mjs';
import { folderOf } from '../../test/everywhere/suites.mjs';
import { systems } from '../../test/everywhere/systems.mjs';

const measured = { prefill: 'prefill 256', decode: 'decode 48' };

/** Bundles the tools into one file beside the addon, which the file loads. Returns the file's path. */
async function benchIn(dist) {
  if (!existsSync(join(dist, 'hearth.node'))) throw new ToolError(`${dist} has no addon: see the top of this file`);
  const outfile = join(dist, 'bench.cjs');
  const source = join(root, 'lab/tools/tool.ts');
  const external = ['web-tree-sitter', 'typescript'];
  await build({ ...programOptions, entryPoints: [source], outfile, external, alias: {}, logLevel: 'error' });
  return outfile;
}

/** Samples of each measurement, in tokens/s. */
async function speeds([command, ...args], program, model) {
  const options = ['bench', '--json', '--threads', '1', '-p', '256', '-n', '48', '-r', '9', '--model', model];
  const output = await run(command, [...args, program, ...options], { quiet: true });
  const { measures } = JSON.parse(output.slice(output.indexOf('{')));
  return Object.entries(measured).map(([what, name]) => [what, measures[name].samples]);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await main(async () => {
  const text = { type: 'string' };
  const options = { system: { ...text, multiple: true }, rounds: { ...text, default: '7' }, model: text };
  const { system = ['win32-x64'], rounds, model = join(root, 'models/starter.gguf') } = parseArgs({ options }).values;
  const here = "this machine's build";
  const sides = { [here]: [[process.execPath], await benchIn(join(root, 'dist'))] };
  for (const name of system)
    sides[name] = [await systems[name].node(), await benchIn(join(folderOf(name), 'extension/dist'))];
  const samples = {};
  for (let round = 0; round < Number(rounds); round++)
    for (const [name, [node, program]] of Object.entries(sides))
      for (const [what, found] of await speeds(node, program, model))
        samples[`${name} ${what}`] = [...(samples[`${name} ${what}`] ?? []), ...found];
  for (const what of Object.keys(measured))
    for (const name of Object.keys(sides)) {
      const [all, own] = [name, here].map((each) => samples[`${each} ${what}`]);
      const compared = [median, (values) => Math.max(...values)].map((of) => {
        return `${of(all).toFixed(1)} (${(of(all) / of(own)).toFixed(3)})`;
      });
      console.log(`${what}: ${name}: median ${compared[0]}, best ${compared[1]} tokens/s`);
    }
});
