import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// With core.autocrlf, the default of Git for Windows, the demo would not find its lines, nor npm run package its files.
test('git does not change the line ends of files', () => {
  const files = ['.vscodeignore', 'README.md', 'scripts/install-vscode.sh', 'test/fixtures/demo/sample.ts'];
  const { stdout } = spawnSync('git', ['check-attr', 'text', '--', ...files], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n')).toEqual(files.map((file) => `${file}: text: unset`));
});
