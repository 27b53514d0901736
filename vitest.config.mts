import { defineConfig } from 'vitest/config';

/** They load models, or time what they test, on a machine with two cores: one file after the other. */
const engine = ['test/engine', 'test/native', 'test/reliability', 'test/tools'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

// `npx vitest --project pure` for the tests without an engine. Real VS Code has a configuration of its own in test/e2e.
export default defineConfig({
  resolve: { alias: { vscode: new URL('test/support/vscode.ts', import.meta.url).pathname } },
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: ['test/**/*.test.{ts,mjs}'], exclude: ['test/e2e/**', ...engine] },
      },
      { extends: true, test: { name: 'engine', include: engine, fileParallelism: false } },
    ],
  },
});
