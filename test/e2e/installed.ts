// The extension as an editor has installed it: its folder of programs, and another server in the place of its own.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
// @ts-expect-error a script without types
import { programOptions } from '../../scripts/bundle.mjs';
import type { CodeServer } from './code-server.ts';

export function installedIn({ root }: CodeServer): string {
  const extensions = join(root, 'extensions');
  const name = readdirSync(extensions).find((entry) => entry.startsWith('hearth.hearth-')) as string;
  return join(extensions, name, 'dist');
}

/** Takes effect when the server is restarted. source: a file of this folder. */
export async function replaceServer(installed: string, source: string): Promise<void> {
  await build({
    entryPoints: [join('test/e2e', source)],
    outfile: join(installed, 'server.js'),
    ...programOptions,
  });
}
