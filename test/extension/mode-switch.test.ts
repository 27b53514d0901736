// Turning suggestions off and on again, with modes of single languages in the settings.
import { beforeEach, expect, test, vi } from 'vitest';
import type { Memento } from 'vscode';
import { toggleMode } from '../../extension/mode-switch.ts';

/** Settings files: for each target, modes by language; '' is the mode for all languages. */
const files = vi.hoisted(() => ({ 1: new Map<string, string>(), 2: new Map<string, string>() }));

vi.mock('vscode', () => {
  const valueIn = (languageId: string) => files[2].get(languageId) ?? files[1].get(languageId);
  const getConfiguration = (_: string, scope?: { languageId: string }) => ({
    get: (_: string, byDefault: string) => (scope && valueIn(scope.languageId)) ?? valueIn('') ?? byDefault,
    inspect: () => ({
      globalValue: files[1].get(''),
      workspaceValue: files[2].get(''),
      globalLanguageValue: scope && files[1].get(scope.languageId),
      workspaceLanguageValue: scope && files[2].get(scope.languageId),
      languageIds: [...files[1].keys(), ...files[2].keys()].filter((key) => key !== ''),
    }),
    update: async (_: string, value: string | undefined, target: 1 | 2) => {
      const key = scope?.languageId ?? '';
      if (value === undefined) files[target].delete(key);
      else files[target].set(key, value);
    },
  });
  return { workspace: { getConfiguration }, ConfigurationTarget: { Global: 1, Workspace: 2 } };
});

const stored = new Map<string, unknown>();
const memory: Memento = {
  keys: () => [...stored.keys()],
  get: <T>(key: string, byDefault?: T) => (stored.get(key) as T | undefined) ?? byDefault,
  update: async (key: string, value: unknown) => void stored.set(key, value),
};

const user = () => Object.fromEntries(files[1]);
const workspace = () => Object.fromEntries(files[2]);

beforeEach(() => {
  stored.clear();
  files[1].clear();
  files[2].clear();
});

test('off and on leaves the settings as they were', async () => {
  expect(await toggleMode(memory)).toBe(true);
  expect(user()).toEqual({ '': 'off' });
  expect(await toggleMode(memory)).toBe(false);
  expect(user()).toEqual({});
});

test('a manual mode is manual again', async () => {
  files[1].set('', 'manual');
  await toggleMode(memory);
  expect(user()).toEqual({ '': 'off' });
  await toggleMode(memory);
  expect(user()).toEqual({ '': 'manual' });
});

test('off and on for a language leaves no mode of its own, so that the general one applies to it', async () => {
  await toggleMode(memory, 'typescript');
  expect(user()).toEqual({ typescript: 'off' });
  await toggleMode(memory, 'typescript');
  expect(user()).toEqual({});
});

test('off for all is off for a language that has a mode of its own, and both come back', async () => {
  files[1].set('typescript', 'automatic').set('', 'manual').set('markdown', 'off');
  files[2].set('', 'automatic').set('rust', 'manual');
  await toggleMode(memory);
  expect(user()).toEqual({ '': 'off', markdown: 'off' });
  expect(workspace()).toEqual({});
  await toggleMode(memory);
  expect(user()).toEqual({ '': 'manual', typescript: 'automatic', markdown: 'off' });
  expect(workspace()).toEqual({ '': 'automatic', rust: 'manual' });
});

test('a language can be turned on while all others are off', async () => {
  await toggleMode(memory);
  await toggleMode(memory, 'python');
  expect(user()).toEqual({ '': 'off', python: 'automatic' });
});

test('a mode that was written by hand while suggestions were off can be turned on without a memory of it', async () => {
  files[2].set('', 'off');
  expect(await toggleMode(memory)).toBe(false);
  expect(workspace()).toEqual({});
});
