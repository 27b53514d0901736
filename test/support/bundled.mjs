// Bundles a TypeScript program of the tests or tools into build/NAME.cjs and imports it. Packages stay outside.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../../scripts/tools.mjs';

/** source: a path from the repository's root, or what esbuild takes as stdin. Resolves to what the program exports. */
export async function bundled(name, source) {
  const outfile = join(root, 'build', `${name}.cjs`);
  await build({
    ...(typeof source === 'string' ? { entryPoints: [join(root, source)] } : { stdin: source }),
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    logLevel: 'warning',
  });
  return (await import(pathToFileURL(outfile).href)).default;
}
