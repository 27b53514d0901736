// Turning suggestions off and on again if the settings have modes for single languages.
import { beforeEach, expect, test, vi } from 'vitest';
import type { Memento, Uri } from 'vscode';
import { modeFor } from '../../../extension/settings/config.ts';
import { toggleMode } from '../../../extension/settings/mode-switch.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

vi.mock('vscode', () => ({
  workspace: { getConfiguration: files.getConfiguration },
  ConfigurationTarget: { Global: 1, Workspace: 2, WorkspaceFolder: 3 },
}));

const stored = new Map<string, unknown>();
const memory: Memento = {
  keys: () => [...stored.keys()],
  get: <T>(key: string, byDefault?: T) => (stored.get(key) as T | undefined) ?? byDefault,
  update: async (key: string, value: unknown) => void stored.set(key, value),
};

const mode = (value: string) => ({ 'hearth.mode': value });

async function isOffAfterToggle(where?: { languageId: string; uri?: Uri }): Promise<boolean> {
  await toggleMode(memory, where);
  return modeFor(where) === 'off';
}

beforeEach(() => {
  stored.clear();
  files.clear();
});

test('turning off and on leaves the settings as they were', async () => {
  expect(await isOffAfterToggle()).toBe(true);
  expect(files.user).toEqual(mode('off'));
  expect(await isOffAfterToggle()).toBe(false);
  expect(files.user).toEqual({});
});

test('after turning off and on, a manual mode is manual again', async () => {
  files.user = mode('manual');
  await toggleMode(memory);
  expect(files.user).toEqual(mode('off'));
  await toggleMode(memory);
  expect(files.user).toEqual(mode('manual'));
});

test('a language that is turned off and on has no mode of its own, so the general mode applies', async () => {
  await toggleMode(memory, { languageId: 'typescript' });
  expect(files.user).toEqual({ '[typescript]': mode('off') });
  await toggleMode(memory, { languageId: 'typescript' });
  expect(files.user).toEqual({});
});

test('turning all languages off includes those with their own mode, and all modes come back', async () => {
  const before = { ...mode('manual'), '[typescript]': mode('automatic'), '[markdown]': mode('off') };
  files.user = structuredClone(before);
  await toggleMode(memory);
  expect(files.user).toEqual({ ...mode('off'), '[markdown]': mode('off') });
  await toggleMode(memory);
  expect(files.user).toEqual(before);
});

test('a language can be turned on while all others are off', async () => {
  await toggleMode(memory);
  await toggleMode(memory, { languageId: 'python' });
  expect(files.user).toEqual({ ...mode('off'), '[python]': mode('automatic') });
});

test('turning suggestions off also works in a workspace whose settings turn them on, without changing those settings', async () => {
  files.workspace = { ...mode('automatic'), '[rust]': mode('manual') };
  expect(await isOffAfterToggle()).toBe(true);
  expect(await isOffAfterToggle({ languageId: 'rust' })).toBe(false);
  expect(files.workspace).toEqual({ ...mode('automatic'), '[rust]': mode('manual') });
});

test.each<[string, object, object]>([
  ['', mode('off'), {}],
  ['rust', { '[rust]': mode('off') }, {}],
  ['rust', mode('off'), { ...mode('off'), '[rust]': mode('automatic') }],
])('suggestions turned off by a workspace can be turned on (%s, %j)', async (languageId, before, after) => {
  files.workspace = { ...before };
  expect(await isOffAfterToggle({ languageId })).toBe(false);
  expect(files.workspace).toEqual(after);
  expect(files.user).toEqual({});
});

test.each<[object, object]>([
  [{ '[rust]': mode('off') }, {}],
  [mode('off'), { ...mode('off'), '[rust]': mode('automatic') }],
])(
  'suggestions turned off by a workspace folder can be turned on while a file in it is open (%j)',
  async (before, after) => {
    files.folder = { ...before };
    expect(await isOffAfterToggle({ languageId: 'rust', uri: { scheme: 'file' } as Uri })).toBe(false);
    expect(files.folder).toEqual(after);
    expect(files.user).toEqual({});
  },
);
