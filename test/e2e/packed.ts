// Packs a small extension that a test needs in addition to Hearth.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** name: its folder in test/e2e. Returns the path of the VSIX. */
export function packed(name: string): string {
  const out = resolve(`build/e2e/${name}.vsix`);
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', out];
  execFileSync(process.execPath, [resolve('node_modules/@vscode/vsce/vsce'), 'package', ...flags], {
    cwd: `test/e2e/${name}`,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return out;
}
