// The mode that an administrator sets for all users.
import { afterEach, expect, test, vi } from 'vitest';
import { modeFor } from '../../../extension/settings/config.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

vi.mock('vscode', () => ({ workspace: { getConfiguration: files.getConfiguration }, ConfigurationTarget: {} }));
vi.mock('../../../language-server/protocol/configuration.ts', () => ({
  managedConfiguration: () => ({ settings: { mode: 'manual' }, problems: [] }),
}));

afterEach(() => files.clear());

test.each([
  ['automatic', 'manual'],
  ['manual', 'manual'],
  ['off', 'off'],
])("with an administrator's mode manual, a user's mode %s becomes %s", (mode, holds) => {
  files.user = { 'hearth.mode': mode, '[typescript]': { 'hearth.mode': mode } };
  expect(modeFor()).toBe(holds);
  expect(modeFor({ languageId: 'typescript' })).toBe(holds);
});
