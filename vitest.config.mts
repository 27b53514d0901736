import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** They load models. */
const engine = ['test/engine', 'test/native', 'test/lab/tools'].map((folder) => `${folder}/**/*.test.ts`);
/** They stop processes, flood them and measure them: one file after the other, after all others. */
const reliability = ['test/reliability/**/*.test.ts'];

/**
 * Each needs a process of its own: it replaces modules, most of them VS Code's API, in its own way, or it measures CPU
 * time, which the garbage of other tests makes longer.
 */
const alone = [
  'test/extension/**/*.test.ts',
  'test/fuzz/ts/claims.test.ts',
  'test/language-server/**/*-cost.test.ts',
  'test/language-server/documents/open-document.test.ts',
  'test/language-server/edits/{dismissed-and-inserted,next-edits}.test.ts',
  'test/language-server/edits/proposals/candidates.test.ts',
  'test/language-server/secrets/{names,time}.test.ts',
  'test/language-server/server/window-settings.test.ts',
  'test/language-server/syntax/trees.test.ts',
];
/** More than a small machine has processors, since many of these tests wait for something. */
const maxWorkers = 4;
const tests = ['test/**/*.test.{ts,mjs}'];
const others = ['test/e2e/**', ...engine, ...reliability, ...alone];

// `npx vitest --project pure --project alone` for the tests without an engine. Real VS Code has a configuration of its own
// in test/e2e.
export default defineConfig({
  resolve: { alias: { vscode: fileURLToPath(new URL('test/support/vscode.ts', import.meta.url)) } },
  test: {
    // Only what never comes runs out of time: on a busy machine, processes stand still for seconds.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      // They leave nothing behind in the modules that they import, so those are loaded once.
      { extends: true, test: { name: 'pure', include: tests, exclude: others, isolate: false, maxWorkers } },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers } },
      { extends: true, test: { name: 'engine', include: engine, fileParallelism: false } },
      { extends: true, test: { name: 'reliability', include: reliability, fileParallelism: false } },
    ],
  },
});
