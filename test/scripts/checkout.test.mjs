import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// With core.autocrlf, as Git for Windows has it, the demo would not find its lines, and npm run package not its files.
test('git gives files no other line ends than they have', () => {
  const files = ['.vscodeignore', 'README.md', 'scripts/install-vscode.sh', 'test/fixtures/demo/sample.ts'];
  const { stdout } = spawnSync('git', ['check-attr', 'text', '--', ...files], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n')).toEqual(files.map((file) => `${file}: text: unset`));
});
