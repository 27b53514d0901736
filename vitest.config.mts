import { defineConfig } from 'vitest/config';

/** They load models, or time what they test, on a machine with two cores: one file after the other. */
const engine = ['test/engine', 'test/native', 'test/reliability', 'test/tools'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

/** They replace VS Code's API, each in a way of its own. */
const editor = ['test/extension/**/*.test.ts'];
const tests = ['test/**/*.test.{ts,mjs}'];
const others = ['test/e2e/**', ...engine];

// `npx vitest --project '!engine'` for the tests without an engine. Real VS Code has a configuration of its own in test/e2e.
export default defineConfig({
  resolve: { alias: { vscode: new URL('test/support/vscode.ts', import.meta.url).pathname } },
  test: {
    testTimeout: 30_000,
    projects: [
      // They leave nothing behind in the modules that they import, so those are loaded once.
      { extends: true, test: { name: 'pure', include: tests, exclude: [...others, ...editor], isolate: false } },
      { extends: true, test: { name: 'editor', include: editor } },
      { extends: true, test: { name: 'engine', include: engine, fileParallelism: false } },
    ],
  },
});
