// Builds the language server with the fake engine as server.js, and puts the files that it needs beside it.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
// @ts-expect-error the script has no types
import { programOptions } from '../../scripts/bundle.mjs';

export async function buildFakeServer(folder: string): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  await build({
    entryPoints: {
      server: join(root, 'test/fixtures/fake-server.ts'),
      'template-process': join(root, 'language-server/explain/template-process.ts'),
    },
    outdir: folder,
    ...programOptions,
  });
  symlinkSync(join(root, 'dist/grammars'), join(folder, 'grammars'), 'junction');
}
