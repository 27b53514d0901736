import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test.each([
  'scripts/package.mjs',
  'scripts/build-native.mjs',
  'scripts/build-gpu.mjs',
  'lab/bench/team-sizing.mjs',
  'lab/bench/speculation.mjs',
])('%s reports an unknown option by name, without a stack trace', (script) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), '--fast'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain("'--fast'");
  expect(stderr).not.toContain('    at ');
});

test('a release is made only with GPU kernels for all vendors', () => {
  const args = [join(root, 'scripts/build-gpu.mjs'), '--release'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: '' } });
  expect({ status, stderr: stderr.trim() }).toEqual({ status: 1, stderr: 'not compiled for AMD: no hipcc' });
});

test('the simulation refuses people who always or never type', () => {
  const args = [join(root, 'lab/bench/team-sizing.mjs'), '--typing', '1'];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  expect(stderr).toContain('--typing must be between 0 and 1');
});
