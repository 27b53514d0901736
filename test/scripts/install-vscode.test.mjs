import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/install-vscode.sh');
const folder = mkdtempSync(join(tmpdir(), 'hearth install-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script with an npm that only creates folders, and fails if its arguments match. Lists what is installed. */
function install(failing) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const npm = `#!/bin/bash
[[ "$PWD $*" == *${failing}* ]] && exit 1
mkdir -p node_modules/code-server/lib/vscode/extensions\n`;
  for (const [name, text] of Object.entries({ npm, 'apt-get': '#!/bin/sh\n' })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const target = join(folder, 'vscode server');
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, CHROMIUM: 'true', HEARTH_VSCODE_DIR: target };
  const { status, stderr } = spawnSync('bash', [script], { env, encoding: 'utf8' });
  return {
    status,
    stderr,
    isStamped: existsSync(target) && readdirSync(target).some((name) => name.startsWith('.inst')),
  };
}

test.each(['node-linux', 'code-server@', '/vscode/extensions', 'rebuild'])(
  'VS Code does not count as installed if npm fails at %s',
  (step) => {
    const { status, stderr, isStamped } = install(step);
    expect(status).not.toBe(0);
    expect(stderr).toContain('install-vscode: npm could not install code-server');
    expect(isStamped).toBe(false);
  },
);

test('VS Code counts as installed if no step fails', () => {
  expect(install('nothing-fails')).toEqual({ status: 0, stderr: '', isStamped: true });
});
