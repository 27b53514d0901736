import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '../../build/e2e/vitest',
  resolve: { alias: { vscode: fileURLToPath(new URL('../support/vscode.ts', import.meta.url)) } },
  test: {
    // Pictures are taken only when asked: a test run leaves the working tree as it was.
    include: process.env.HEARTH_PICTURES ? ['*.test.ts', '*.pictures.ts'] : ['*.test.ts'],
    globalSetup: 'global-setup.ts',
    setupFiles: ['second-try.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false, // one editor at a time
    retry: 1, // VS Code may take longer than any test allows on a machine that does something else
    expect: { poll: { timeout: 60_000, interval: 50 } }, // as in workbench.ts
  },
});
