import { defineConfig } from 'vitest/config';

// Real VS Code has a configuration of its own in test/e2e.
export default defineConfig({
  resolve: { alias: { vscode: new URL('test/support/vscode.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.{ts,mjs}'],
    exclude: ['test/e2e/**'],
    testTimeout: 30_000,
    // Engines with a model in memory and a machine with two cores: one file after the other.
    fileParallelism: false,
  },
});
