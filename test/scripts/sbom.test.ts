import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { expect, test, vi } from 'vitest';
import { ownAdaptersOf } from '../../language-server/models/model-traits.ts';
// @ts-expect-error a script without types
import { listedFiles } from '../../scripts/package.mjs';
// @ts-expect-error a script without types
import { audit, licenceProblems, linkedNotices, modelFiles, sbom, shippedPackages } from '../../scripts/sbom.mjs';

const root = join(import.meta.dirname, '../..');

test('the list of components has exactly the packages in the bundles', async () => {
  expect(existsSync(join(root, 'dist/NOTICES.txt')), 'npm run build writes it').toBe(true);
  const packages: { name: string; version: string }[] = shippedPackages();
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['vscode-languageclient', 'vscode-languageserver', 'vscode-jsonrpc', 'markdown-it']),
  );
  const list = await sbom();
  expect(list).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'hearth' } } });
  const isFile = ({ type }: { type: string }) => type === 'file';
  const listed: string[] = list.components
    .filter((part: { type: string }) => !isFile(part))
    .map(({ name, version }: { name: string; version: string }) => `${name} ${version}`);
  const { metadata } = await gguf(join(root, 'models/starter.gguf'), { allowLocalFile: true });
  const [, ownVersion] = /v(\d+)/.exec(String((metadata as Record<string, unknown>)['general.name'])) ?? [];
  const adapters = [
    ...['0.5b', '1.5b'].map((size) => `next-edit-qwen2.5-coder-${size}-instruct-q8_0 undefined`),
    ...['0.5b', '1.5b'].map((size) => `completion-qwen2.5-coder-${size}-instruct-q4_0 undefined`),
  ];
  const models = [`starter-coder-83m-q4_0 ${ownVersion}`, ...adapters];
  expect(listed.sort()).toEqual([...packages.map(({ name, version }) => `${name} ${version}`), ...models].sort());
  const python = list.components.filter(isFile).find(({ name }: { name: string }) => name.endsWith('python.wasm'));
  const bytes = readFileSync(join(root, 'dist/grammars/tree-sitter-python.wasm'));
  expect(python.hashes).toEqual([{ alg: 'SHA-256', content: createHash('sha256').update(bytes).digest('hex') }]);
  const card = readFileSync(join(root, 'models/README.md'), 'utf8');
  const digests = [...card.matchAll(/(?<=`)[0-9a-f]{64}(?=`)/g)].map(([content]) => [{ alg: 'SHA-256', content }]);
  const isModel = ({ type }: { type: string }) => type === 'machine-learning-model';
  const hashes = list.components.filter(isModel).map((part: { hashes: object }) => part.hashes);
  expect(hashes, 'the digests on the card of the models').toEqual(digests);
});

test('the list of components and the server name exactly the models that ship', () => {
  const shipped = (listedFiles() as string[]).filter((file) => file.endsWith('.gguf'));
  expect(modelFiles).toEqual(shipped);
  const adaptersOf = (size: string) => ownAdaptersOf({ 'general.name': `Qwen2.5 Coder ${size} Instruct` });
  const adapters = ['0.5B', '1.5B'].flatMap((size) => Object.values(adaptersOf(size) ?? {}));
  expect(shipped.toSorted()).toEqual(['starter.gguf', ...adapters].map((file) => `models/${file}`).sort());
});

test('no package ships under a licence with conditions beyond including its text', () => {
  expect(licenceProblems(shippedPackages())).toEqual([]);
  const notices = readFileSync(join(root, 'dist/NOTICES.txt'), 'utf8');
  for (const part of notices.split('-'.repeat(80)).slice(1)) expect(part.length, part).toBeGreaterThan(400);
  const foreign = `${notices}${'-'.repeat(80)}\nsome-package 1.0.0 (GPL-3.0)\n`;
  expect(licenceProblems(shippedPackages(foreign))).toEqual([
    'some-package 1.0.0: GPL-3.0 is not among the licences that may ship',
  ]);
});

test('the check does not wait for a registry that does not answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-audit-'));
  const [npm, id] = [join(folder, 'npm.js'), join(folder, 'id')];
  const text = `require('fs').writeFileSync(${JSON.stringify(id)}, String(process.pid)); setInterval(() => {}, 1000);\n`;
  writeFileSync(npm, text);
  vi.stubEnv('npm_execpath', npm);
  expect(await audit(1000)).toBe('no registry answered: nothing is known');
  vi.unstubAllEnvs();
  // On a busy machine the process may have been ended before it could write.
  if (existsSync(id)) expect(() => process.kill(Number(readFileSync(id, 'utf8')), 0)).toThrow('ESRCH');
  rmSync(folder, { recursive: true });
});

test('the licences of code that a compiler links in are included, each once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-licences-'));
  const text = join(folder, 'copyright');
  writeFileSync(text, 'Keep this.\n');
  const exempt = ['libgcc', '1', 'GPL-3.0-or-later WITH GCC-exception-3.1'];
  const linked = [exempt, ['runtime', '2', 'ZPL-2.1', text], ['threads', '2', 'MIT', text]];
  expect(linkedNotices({ linked })).toEqual(['runtime 2 (ZPL-2.1)\nthreads 2 (MIT)\n\nKeep this.\n']);
  rmSync(folder, { recursive: true });
  expect(() => linkedNotices({ linked })).toThrow(`is missing: ${text}`);
});
