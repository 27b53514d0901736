// Biome and CMake enforce which room may import which (ARCHITECTURE.md). These tests show that they do.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Biome's findings for one import in a file of a room, in a temporary folder with the project's rules. */
function lint(file: string, specifier: string): string {
  const project = mkdtempSync(join(tmpdir(), 'hearth-rooms-'));
  try {
    copyFileSync(join(root, 'biome.json'), join(project, 'biome.json'));
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), `import { x } from '${specifier}';\nx();\n`);
    const biome = join(root, 'node_modules', '.bin', 'biome');
    const args = ['lint', '--only=style/noRestrictedImports', '--vcs-enabled=false', '.'];
    return spawnSync(biome, args, { cwd: project, encoding: 'utf8' }).stderr;
  } finally {
    rmSync(project, { recursive: true });
  }
}

const forbidden = [
  ['extension/client.ts', '../language-server/server.ts', 'only protocol.ts'],
  ['extension/choose-model.ts', '../language-server/models/list.ts', 'only protocol.ts'],
  ['extension/client.ts', '../native/index.ts', 'does not know the engine'],
  ['extension/client.ts', '../test/language-server/client.ts', 'Nothing imports test/'],
  ['language-server/server.ts', 'vscode', 'Only extension/ knows VS Code'],
  ['language-server/server.ts', 'vscode-languageclient/node', 'Only extension/ knows VS Code'],
  ['language-server/server.ts', '../extension/config.ts', 'does not know the extension'],
  ['language-server/completion/provider.ts', '../../native/other.ts', 'only native/index.ts'],
  ['language-server/server.ts', '../test/fixtures/engine.ts', 'Nothing imports test/'],
  ['native/index.ts', '../language-server/protocol.ts', 'imports no other room'],
  ['native/index.ts', 'vscode-languageserver/node', 'neither VS Code nor LSP'],
  ['scripts/setup.mjs', '../test/run.mjs', 'Nothing imports test/'],
] as const;

const allowed = [
  ['extension/client.ts', '../language-server/protocol.ts'],
  ['extension/download/download.ts', '../../language-server/models/messages.ts'],
  ['extension/client.ts', 'vscode-languageclient/node'],
  ['language-server/server.ts', '../native/index.ts'],
  ['language-server/completion/provider.ts', '../../native/index.ts'],
  ['language-server/server.ts', 'vscode-languageserver/node'],
  ['test/language-server/server.test.ts', '../../language-server/server.ts'],
] as const;

test.each(forbidden)('the linter refuses %s the import of %s', (file, specifier, message) => {
  expect(lint(file, specifier)).toContain(message);
});

test.each(allowed)('the linter grants %s the import of %s', (file, specifier) => {
  expect(lint(file, specifier)).toMatch(/^Checked 2 files in .*\n$/);
});

/** Every #include "..." below a folder, as [file, included path]. */
function includes(folder: string): [string, string][] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(cc|h|inl|hip)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, folder, file), 'utf8');
      return [...text.matchAll(/^\s*#include "(.+)"/gm)].map((match): [string, string] => [file, match[1] ?? '']);
    });
}

test('kernels include nothing of the engine', () => {
  const engine = new Set(readdirSync(join(root, 'native')).filter((file) => file.endsWith('.h')));
  const kernels = includes('kernels');
  expect(kernels.length).toBeGreaterThan(0);
  expect(kernels.filter(([, path]) => engine.has(path) || path.includes('native/'))).toEqual([]);
});

test("the engine includes of the kernels only the Ops table and the blocks, the way to a GPU also its kernels' face", () => {
  const mayInclude = (file: string, path: string) =>
    existsSync(join(root, 'native', dirname(file), path)) ||
    ['ops.h', 'quant_blocks.h'].includes(path) ||
    (file.startsWith('gpu/') && ['hip/ops_hip.h', 'hip/gpu_api.h', 'hip/device.h'].includes(path));
  const all = includes('native');
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter(([file, path]) => !mayInclude(file, path))).toEqual([]);
});
