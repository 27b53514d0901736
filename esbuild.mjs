// Bundles the three programs into dist/, each one CommonJS file. Names on the command line limit the build:
// `node esbuild.mjs server hearth`.
import { chmodSync } from 'node:fs';
import { build } from 'esbuild';

const entries = {
  extension: 'extension/extension.ts',
  server: 'language-server/main.ts',
  hearth: 'language-server/cli/hearth.ts',
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in entries));
if (unknown.length > 0) {
  console.error(`esbuild.mjs: no program named ${unknown.join(', ')}; there are ${Object.keys(entries).join(', ')}`);
  process.exit(2);
}

const selected = Object.entries(entries).filter(([name]) => wanted.length === 0 || wanted.includes(name));
await Promise.all(
  selected.map(([name, entry]) =>
    build({
      entryPoints: [entry],
      outfile: `dist/${name}.js`,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      mainFields: ['module', 'main'],
      external: ['vscode'],
      // Names survive, so that a stack trace in a bug report can be read.
      keepNames: true,
      sourcemap: 'linked',
      banner: name === 'hearth' ? { js: '#!/usr/bin/env node' } : {},
      logLevel: 'warning',
    }),
  ),
);
if (selected.some(([name]) => name === 'hearth')) chmodSync('dist/hearth.js', 0o755);
