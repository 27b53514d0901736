import { afterEach, expect, test, vi } from 'vitest';
import type { Mode, SettingsParams } from '../../../language-server/protocol/messages.ts';
import { WindowSettings } from '../../../language-server/server/window-settings.ts';

const managed = vi.hoisted(() => ({ settings: {} as SettingsParams, problems: [] }));
vi.mock('../../../language-server/protocol/configuration.ts', async (original) => ({
  ...(await original<typeof import('../../../language-server/protocol/configuration.ts')>()),
  managedConfiguration: () => managed,
}));
afterEach(() => {
  managed.settings = {};
});

test.each<[Mode | undefined, Mode | undefined, Mode]>([
  ['off', 'automatic', 'off'],
  ['manual', 'automatic', 'manual'],
  ['manual', 'off', 'off'],
  ['automatic', 'manual', 'manual'],
  [undefined, 'manual', 'manual'],
  [undefined, 'automatic', 'automatic'],
  ['manual', undefined, 'manual'],
  [undefined, undefined, 'automatic'],
])('where the user has %s, a folder with %s makes it %s', (given, folderMode, mode) => {
  const own = new WindowSettings();
  own.give(given && { mode: given });
  own.configure(folderMode && { mode: folderMode });
  expect(own.settings.mode).toBe(mode);
  own.configure(null);
  expect(own.settings.mode).toBe(given ?? 'automatic');
});

test.each<[Mode | undefined, Mode, Mode]>([
  ['off', 'automatic', 'off'],
  ['automatic', 'manual', 'manual'],
  ['manual', 'off', 'off'],
  [undefined, 'manual', 'manual'],
])('where the user has %s, an administrator with %s makes it %s', (given, administratorMode, mode) => {
  managed.settings = { mode: administratorMode };
  const own = new WindowSettings();
  own.give(given && { mode: given });
  expect(own.settings.mode).toBe(mode);
});
