// Bundles the server around the fake engine, as server.js with what it needs beside it.
import { join } from 'node:path';
import { build } from 'esbuild';

export async function buildFakeServer(folder: string): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  await build({
    entryPoints: {
      server: join(root, 'test/fixtures/fake-server.ts'),
      'template-process': join(root, 'language-server/explain/template-process.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
  });
}
