// Before the tests, installs VS Code and packs the built extension, or uses the package whose path is in HEARTH_VSIX.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    vsix: string;
  }
}

export function setup(project: TestProject): void {
  const root = resolve(import.meta.dirname, '../..');
  process.chdir(root);
  mkdirSync('build/e2e', { recursive: true });
  // A desktop VS Code runs an unpacked extension; see extension-host.test.ts.
  if (process.env.HEARTH_DESKTOP) return;
  execFileSync('scripts/install-vscode.sh', { stdio: 'inherit' });
  const vsix = process.env.HEARTH_VSIX ?? 'build/e2e/hearth.vsix';
  if (!process.env.HEARTH_VSIX) {
    execFileSync(process.execPath, ['scripts/package.mjs', '--out', vsix], { stdio: 'inherit' });
  }
  project.provide('vsix', resolve(root, vsix));
}
