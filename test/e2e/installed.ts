// Finds the programs of the extension that an editor has installed, and replaces its server.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
// @ts-expect-error a script without types
import { programOptions } from '../../scripts/bundle.mjs';
import type { CodeServer } from './code-server.ts';

/** The path of the installed extension's dist/. */
export function installedIn({ root }: CodeServer): string {
  const extensions = join(root, 'extensions');
  const name = readdirSync(extensions).find((entry) => entry.startsWith('hearth.hearth-')) as string;
  return join(extensions, name, 'dist');
}

/** Replaces the language server, which takes effect when it is started again. source: a file in test/e2e. */
export async function replaceServer(installed: string, source: string): Promise<void> {
  await build({
    entryPoints: [join('test/e2e', source)],
    outfile: join(installed, 'server.js'),
    ...programOptions,
  });
}
