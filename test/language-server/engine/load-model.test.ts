// Hearth's own adapters are loaded with the model that they were trained for, and never keep a model from loading.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { EngineHost } from '../../../language-server/engine/engine-host.ts';
import { loadModel } from '../../../language-server/engine/load-model.ts';
import { writeGguf } from '../../support/gguf-writer.ts';
import { floatTensor, syntheticAdapter } from '../../support/synthetic-adapter.ts';
import { shapes, syntheticModel } from '../../support/synthetic-model.ts';

const adapterFolder = mkdtempSync(join(tmpdir(), 'hearth-own-'));
afterAll(() => rmSync(adapterFolder, { recursive: true }));
const modelPath = join(adapterFolder, 'renamed.gguf');
const completion = join(adapterFolder, 'completion-1.5b.gguf');
const nextEdit = join(adapterFolder, 'next-edit-1.5b.gguf');

const tiny = () => syntheticModel({ shape: shapes.tiny, quantization: 'q8_0' });
const adapter = () => syntheticAdapter(tiny());

function writeModel(name: string, model = tiny()): void {
  writeGguf(modelPath, { ...model, metadata: { ...model.metadata, 'general.name': { string: name } } });
}

beforeEach(() => {
  writeModel('Qwen2.5 Coder 1.5B Instruct');
  for (const path of [completion, nextEdit]) writeGguf(path, adapter());
});

/** Loads the model as the server does. Resolves to the adapters that came with it, and to the log. */
async function loaded(options: object = {}) {
  const lines: string[] = [];
  const keep = (line: string) => lines.push(line);
  const host = new EngineHost(loadModel, { info: keep, warn: keep, error: keep }, () => {});
  await host.ensure({
    modelPath,
    own: { folder: adapterFolder, tasks: ['completions', 'edits'] },
    backend: 'cpu',
    ...options,
  });
  const { engine } = host;
  const adapters = engine?.info.adapters;
  const own = host.model?.ownAdapters;
  const request = {
    tokens: new Uint32Array([1]),
    maxTokens: 2,
    ...(own?.edits !== undefined && { adapter: own.edits }),
  };
  const answer = await engine?.generate(request);
  const { kind } = host.state;
  await host.unload();
  return { kind, adapters, own, tokens: answer?.timings.completionTokens, log: lines.join('\n') };
}

test("the adapters are loaded with their model, whatever the name of the model's file", async () => {
  const { adapters, own, tokens, log } = await loaded();
  expect({ adapters, own, tokens }).toEqual({
    adapters: [completion, nextEdit],
    own: { completions: completion, edits: nextEdit },
    tokens: 2,
  });
  expect(log).toMatch(/adapter for completions: completion-1\.5b\.gguf\nadapter for edits: next-edit-1\.5b\.gguf$/);
});

test('only the adapters for the given tasks are loaded', async () => {
  const { adapters, own } = await loaded({ own: { folder: adapterFolder, tasks: ['edits'] } });
  expect({ adapters, own }).toEqual({ adapters: [nextEdit], own: { edits: nextEdit } });
});

test('an adapter is loaded once if the settings also name it, and beside another adapter', async () => {
  expect((await loaded({ adapters: [nextEdit] })).adapters).toEqual([nextEdit, completion]);
  const team = join(adapterFolder, 'team.gguf');
  writeGguf(team, adapter());
  expect((await loaded({ adapters: [team] })).adapters).toEqual([team, completion, nextEdit]);
});

test('other models are loaded without the adapters, and so is their own model if no folder is given', async () => {
  writeModel('Qwen2.5 Coder 1.5B');
  const plain = { kind: 'ready', adapters: [], own: undefined };
  expect(await loaded()).toMatchObject({ ...plain, log: expect.not.stringMatching(/adapter/) });
  writeModel('Qwen2.5 Coder 1.5B Instruct');
  expect(await loaded({ own: undefined })).toMatchObject(plain);
});

test.each<[string, () => void, RegExp]>([
  ['is missing', () => rmSync(nextEdit), /There is no adapter file at .*next-edit/],
  [
    'is cut off',
    () => writeFileSync(nextEdit, readFileSync(nextEdit).subarray(0, 5000)),
    /The adapter file .*next-edit/,
  ],
  ['is no adapter', () => writeFileSync(nextEdit, 'text'), /next-edit-1\.5b\.gguf is not a GGUF/],
  ['has a value that is no number', () => writeGguf(nextEdit, notANumber()), /holds a value that is not a number/],
  [
    'was made for another shape',
    () => writeModel('Qwen2.5 Coder 1.5B Instruct', syntheticModel({ shape: wide, quantization: 'q8_0' })),
    /has shape/,
  ],
])('a model is loaded without adapters of ours if one of them %s, and the log says why', async (_, damage, reason) => {
  damage();
  const { kind, adapters, own, log } = await loaded();
  expect({ kind, adapters, own }).toEqual({ kind: 'ready', adapters: [], own: undefined });
  expect(log).toMatch(/the model runs without Hearth's adapters: /);
  expect(log).toMatch(reason);
});

const wide = { ...shapes.tiny, ffn: 1024 };

function notANumber() {
  const spec = adapter();
  const [first] = spec.tensors;
  const { name = '', shape: [columns = 0, rows = 0] = [] } = first ?? {};
  spec.tensors[0] = floatTensor(name, [columns, rows], new Float32Array(columns * rows).fill(Number.NaN));
  return spec;
}

test('a damaged adapter that the settings name keeps the model from loading', async () => {
  const team = join(adapterFolder, 'damaged.gguf');
  writeFileSync(team, 'text');
  const { kind, log } = await loaded({ adapters: [team] });
  expect(kind).toBe('failed');
  expect(log).toMatch(/cannot load .*damaged\.gguf/);
});

test('if the relative path of an adapter leads to no file, the message has the whole path', async () => {
  const { kind, log } = await loaded({ adapters: ['none.gguf'] });
  expect(kind).toBe('failed');
  expect(log).toContain(
    `There is no adapter file at ${resolve('none.gguf')}, where the relative path "none.gguf" leads. Give its whole path.`,
  );
});
