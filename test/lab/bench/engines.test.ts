// `npm run bench` measures the version of llama.cpp that its rows name.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { llamaCppEntry, llamaCppVersion, platform } from '../../../lab/bench/engines.ts';

let root: string;
const log = () => join(root, 'npm.log');
const folderOf = (name: string) => join(root, '.cache/bench/node_modules', name);
const names = ['node-llama-cpp', `@node-llama-cpp/${platform}`];

function installed(name: string, version: string): void {
  mkdirSync(folderOf(name), { recursive: true });
  writeFileSync(join(folderOf(name), 'package.json'), JSON.stringify({ version }));
}

/** How often npm was called to install something. */
function installs(): number {
  llamaCppEntry(root);
  return readFileSync(log(), 'utf8').split('\n').length - 1;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-bench-'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/npm'), `#!/bin/sh\necho "$@" >> "${log()}"\n`);
  chmodSync(join(root, 'bin/npm'), 0o755);
  writeFileSync(log(), '');
  vi.stubEnv('PATH', `${join(root, 'bin')}:${process.env.PATH}`);
  vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

test('an installed llama.cpp is used without another installation', () => {
  for (const name of names) installed(name, llamaCppVersion);
  expect(installs()).toBe(0);
});

test('llama.cpp is installed if it is missing, incomplete or of the wrong version', () => {
  expect(installs()).toBe(1);
  for (const name of names) installed(name, '3.0.0');
  expect(installs()).toBe(2);
  rmSync(folderOf(names[1] ?? ''), { recursive: true });
  installed('node-llama-cpp', llamaCppVersion);
  expect(installs()).toBe(3);
});
