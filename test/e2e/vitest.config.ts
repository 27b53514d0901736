import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '../../build/e2e/vitest',
  resolve: { alias: { vscode: fileURLToPath(new URL('../support/vscode.ts', import.meta.url)) } },
  test: {
    // Pictures are taken only on request, so that a test run does not change the working tree.
    include: process.env.HEARTH_PICTURES ? ['*.test.ts', '*.pictures.ts'] : ['*.test.ts'],
    globalSetup: 'global-setup.ts',
    setupFiles: ['second-try.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false, // one editor at a time
    retry: 1, // on a busy machine VS Code might take longer than a test allows
    expect: { poll: { timeout: 60_000, interval: 50 } }, // as in workbench.ts
  },
});
