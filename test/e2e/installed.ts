// The extension as an editor has installed it: its folder of programs, and a way to replace its server.
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

/** Replaces the server; takes effect when it is restarted. source: a file in this folder. */
export async function replaceServer(installed: string, source: string): Promise<void> {
  await build({
    entryPoints: [join('test/e2e', source)],
    outfile: join(installed, 'server.js'),
    ...programOptions,
  });
}
