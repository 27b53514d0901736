import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../language-server/models/catalogue.ts';
import { listModels, modelList } from '../../../language-server/models/list.ts';
import { describeModel } from '../../../native/index.ts';
import { writeGguf } from '../../support/gguf-writer.ts';
import { syntheticAdapter } from '../../support/synthetic-adapter.ts';
import { shapes, syntheticModel, writeSyntheticModel } from '../../support/synthetic-model.ts';

const speed = { readBytesPerSecond: 30e9, weightsPerSecond: 500e9 };
const cacheBytes = 2 ** 30;

test('with no local files, every model in the catalogue is offered for download, and one is recommended', () => {
  const list = modelList([], speed, cacheBytes, 16e9);
  expect(list.local).toEqual([]);
  expect(list.remote.length).toBe(catalogue.length);
  expect(new Set(list.remote.map(({ id }) => id)).size).toBe(catalogue.length);
  const best = list.remote.find(({ id }) => id === list.recommended);
  expect(best).toMatchObject({ name: 'Qwen2.5-Coder 1.5B Instruct', quantization: 'Q4_K_M', kind: 'instruct' });
});

test('a smaller model is recommended for machines that are slow, short of memory or not measured', () => {
  const slow = modelList([], { ...speed, readBytesPerSecond: 15e9 }, cacheBytes, 16e9);
  const verySlow = modelList([], { ...speed, readBytesPerSecond: 1e9 }, cacheBytes, 16e9);
  const full = modelList([], speed, cacheBytes, 1e8);
  const unmeasured = modelList([], null, cacheBytes, 16e9);
  for (const { remote, recommended } of [slow, verySlow, full, unmeasured])
    expect(remote.find(({ id }) => id === recommended)?.name).toBe('Qwen2.5-Coder 0.5B Instruct');
});

test('a local file is described by its metadata, and not offered for download', async () => {
  const path = join('models', 'starter.gguf');
  const description = await describeModel(path);
  const knownAs = 'qwen2.5-coder-7b-instruct-q8_0';
  const list = modelList([{ path, owner: 'LM Studio', knownAs, description }], speed, cacheBytes, 16e9);
  expect(list.local).toMatchObject([{ id: path, path, owner: 'LM Studio', name: knownAs, quantization: 'Q4_0' }]);
  const names = list.remote.map(({ file }) => file.name);
  expect(names).not.toContain('qwen2.5-coder-7b-instruct-q8_0.gguf');
  expect(list.remote.length).toBe(catalogue.length - 1);
});

test("the list says which models write next edits: by their training, or with Hearth's own adapter", async () => {
  const { remote } = modelList([], speed, cacheBytes, 16e9);
  const writing = remote.filter(({ writesEdits }) => writesEdits).map(({ name }) => name);
  expect([...new Set(writing)]).toEqual(['Qwen2.5-Coder 0.5B Instruct', 'Qwen2.5-Coder 1.5B Instruct']);
  const described = await describeModel(join('models', 'starter.gguf'));
  const found = ['Qwen2.5 Coder 1.5B Instruct', 'Qwen2.5 Coder 1.5B', 'sweep-next-edit-1.5b'].map((name) => {
    const description = { ...described, metadata: { 'general.name': name } };
    return { path: name, owner: 'Ollama', knownAs: 'a', description };
  });
  const { local } = modelList(found, speed, cacheBytes, 16e9);
  expect(local.map(({ writesEdits }) => writesEdits)).toEqual([true, false, true]);
});

test.each([
  ['cc-by-nc-4.0', true],
  ['CC-BY-NC-SA-4.0', true],
  ['qwen-research', true],
  ['mnpl', true],
  ['Mistral AI Non-Production License', true],
  ['apache-2.0', false],
  ['ncsa', false],
])('a model with the licence %s is for research only: %s', async (licence, isForResearchOnly) => {
  const path = join('models', 'starter.gguf');
  const { metadata, ...described } = await describeModel(path);
  const description = { ...described, metadata: { ...metadata, 'general.license.name': licence } };
  const list = modelList([{ path, owner: 'LM Studio', knownAs: 'a', description }], speed, cacheBytes, 16e9);
  expect(list.local[0]).toMatchObject({ licence, isForResearchOnly });
});

const withoutEngine = { engine: null, cacheBytes: 2 ** 30, storageFolder: '', adapters: [] };

test('for each local model, the list says whether the adapters in the settings fit it', async () => {
  const downloadFolder = mkdtempSync(join(tmpdir(), 'hearth-adapted-'));
  const model = { shape: shapes.tiny, quantization: 'q8_0' } as const;
  writeSyntheticModel(join(downloadFolder, 'own.gguf'), model);
  writeSyntheticModel(join(downloadFolder, 'wide.gguf'), { ...model, shape: { ...shapes.tiny, ffn: 1024 } });
  const adapters = [join(downloadFolder, 'missing.gguf'), join(downloadFolder, 'team.gguf')];
  writeGguf(adapters[1]!, syntheticAdapter(syntheticModel(model)));
  const { local } = await listModels({ downloadFolder }, { ...withoutEngine, adapters });
  rmSync(downloadFolder, { recursive: true });
  const fitting = Object.fromEntries(local.map((facts) => [facts.name, facts.adapters]));
  const missing = { name: 'missing.gguf', fits: false };
  expect(fitting.own).toEqual([missing, { name: 'team.gguf', fits: true }]);
  expect(fitting.wide).toEqual([missing, { name: 'team.gguf', fits: false }]);
  expect(fitting.team).toBeUndefined();
});

test('without an engine, the list has no speed estimates', async () => {
  const downloadFolder = mkdtempSync(join(tmpdir(), 'hearth-list-'));
  const { remote } = await listModels({ downloadFolder }, withoutEngine);
  rmSync(downloadFolder, { recursive: true });
  expect(remote.length).toBeGreaterThan(0);
  expect(remote[0]?.estimate).toMatchObject({ tokensPerSecond: null, firstTextMs: null });
});
