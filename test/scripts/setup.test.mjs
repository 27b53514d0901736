import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../scripts/tools.mjs';

/** A checkout without packages: only the scripts that install them, and empty lists of packages. */
function checkout() {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['setup.mjs', 'tools.mjs']) cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  const lock = { name: 'empty', lockfileVersion: 3, packages: { '': { name: 'empty' } } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty' }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  return folder;
}

test('setup does not empty the folder to which a linked node_modules leads', () => {
  const folder = checkout();
  const file = join(folder, 'other/node_modules/package/index.js');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  symlinkSync(join(folder, 'other/node_modules'), join(folder, 'node_modules'), 'junction');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(existsSync(file)).toBe(true);
  expect(stderr).toMatch(/node_modules is a link, and npm ci would empty the folder to which it leads/);
  expect(status).toBe(1);
});
