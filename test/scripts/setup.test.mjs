import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../scripts/tools.mjs';

/** A checkout with nothing but the scripts that install packages, and the lists of these. */
function checkout(packages = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['setup.mjs', 'tools.mjs']) cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  const dependencies = Object.fromEntries(Object.entries(packages).map(([name, file]) => [name, `file:${file}`]));
  const installed = Object.entries(packages).map(([name, file]) => [
    `node_modules/${name}`,
    { version: '1.0.0', resolved: `file:${file}` },
  ]);
  const own = { name: 'empty', dependencies };
  const lock = { name: 'empty', lockfileVersion: 3, packages: { '': own, ...Object.fromEntries(installed) } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
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

test('of a grammar, setup keeps what Hearth uses', () => {
  const name = 'tree-sitter-toy';
  const folder = checkout({ [name]: 'toy.tgz' });
  const files = [
    'package.json',
    'toy.wasm',
    'src/node-types.json',
    'src/parser.c',
    'src/grammar.json',
    'prebuilds/a.node',
  ];
  for (const file of files) {
    mkdirSync(join(folder, 'package', file, '..'), { recursive: true });
    writeFileSync(join(folder, 'package', file), JSON.stringify({ name, version: '1.0.0' }));
  }
  spawnSync('tar', ['-czf', 'toy.tgz', 'package'], { cwd: folder });
  spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: folder });
  const kept = files.filter((file) => existsSync(join(folder, 'node_modules', name, file)));
  expect(kept).toEqual(['package.json', 'toy.wasm', 'src/node-types.json']);
});
