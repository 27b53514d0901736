// Tests a package on the system that it is made for: `node test/everywhere/here.mjs --target darwin-arm64 [--desktop]`
// unpacks build/release/hearth-<target>-<version>.vsix. --desktop: also in a desktop VS Code, which is downloaded.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageName } from '../../scripts/package.mjs';
import { main, root, run, ToolError } from '../../scripts/tools.mjs';
import { add, nothing, vitest } from '../support/results.mjs';
import { folderOf, suites } from './suites.mjs';

/** On Windows and macOS, tar can unpack ZIP files. */
async function unpack(file, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (process.platform === 'linux') await run('python3', ['-m', 'zipfile', '-e', file, folder]);
  else await run('tar', ['-xf', file, '-C', folder]);
}

await main(async () => {
  const options = { target: { type: 'string' }, desktop: { type: 'boolean', default: false } };
  const { target, desktop } = parseArgs({ options }).values;
  if (!target) throw new ToolError('which package? --target names it');
  const folder = folderOf(target);
  await unpack(join(root, 'build/release', packageName(target)), folder);
  const system = { node: async () => [process.execPath], slowness: 4 };
  let sum = nothing;
  for (const name of ['bits', 'golden', 'cli', 'lsp', 'server']) {
    console.log(`\n--- ${name} ---`);
    sum = add(sum, await suites[name].run(target, system));
  }
  if (desktop) {
    const env = { HEARTH_DESKTOP: '1', HEARTH_EXTENSION: join(folder, 'extension') };
    sum = add(sum, await vitest('desktop', ['--root', 'test/e2e', 'extension-host.test.ts'], env));
  }
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  if (sum.failed > 0) process.exitCode = 1;
});
