// Bundles a TypeScript program for tests or tools into build/NAME.cjs, without npm packages, and imports it.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../../scripts/tools.mjs';

/**
 * source: a path relative to the repository, or esbuild's stdin option. stubs: package name -> file that replaces it.
 * Resolves to the exports of the program.
 */
export async function bundled(name, source, stubs = {}) {
  const outfile = join(root, 'build', `${name}.cjs`);
  const own = `${outfile}.${process.pid}`; // another process might be reading the file
  await build({
    ...(typeof source === 'string' ? { entryPoints: [join(root, source)] } : { stdin: source }),
    outfile: own,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    alias: Object.fromEntries(Object.entries(stubs).map(([name, path]) => [name, join(root, path)])),
    logLevel: 'warning',
  });
  renameSync(own, outfile);
  return (await import(pathToFileURL(outfile).href)).default;
}
