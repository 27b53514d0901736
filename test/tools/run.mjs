// `npm run tool -- COMMAND …`: bundles the development tools into build/tool.cjs and runs one. "--help" lists them.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../../scripts/tools.mjs';

const outfile = join(root, 'build', 'tool.cjs');
await build({
  entryPoints: [join(root, 'test', 'tools', 'tool.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  packages: 'external',
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
