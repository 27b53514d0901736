// Runs the tests in host/ inside VS Code's extension host with @vscode/test-electron: by default in VS Code's server,
// and with HEARTH_DESKTOP=1 in a desktop VS Code, which is downloaded.
import { chmodSync, cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
// @ts-expect-error the script has no types
import { programOptions } from '../../scripts/bundle.mjs';

const out = 'build/e2e/host';

/** The bundle reads golden cases as the server does, so it needs the grammars. */
async function bundleSuite(): Promise<void> {
  const entryPoints = ['test/e2e/host/index.ts'];
  const outExtension = { '.js': '.cjs' };
  await build({ ...programOptions, entryPoints, outdir: out, outExtension, external: ['vscode'] });
  cpSync('dist/grammars', `${out}/grammars`, { recursive: true });
}

async function bundleShim(): Promise<string> {
  const outfile = `${out}/code-shim.mjs`;
  const banner = { js: '#!/usr/bin/env node' };
  const external = ['playwright-core'];
  const entryPoints = ['test/e2e/code-shim.ts'];
  await build({ ...programOptions, entryPoints, outfile, banner, format: 'esm', external });
  chmodSync(outfile, 0o755);
  return resolve(outfile);
}

test('the tests inside the extension host pass', async () => {
  await bundleSuite();
  const desktop = process.env.HEARTH_DESKTOP;
  const code = await runTests({
    ...(desktop ? {} : { vscodeExecutablePath: await bundleShim() }),
    extensionDevelopmentPath: resolve(process.env.HEARTH_EXTENSION ?? '.'),
    extensionTestsPath: resolve(out, 'index.cjs'),
  });
  expect(code).toBe(0);
}, 600_000);
