import { expect, test } from 'vitest';
import type { Settings } from '../../../language-server/protocol/messages.ts';
import { checkedSettings, defaultSettings } from '../../../language-server/protocol/settings.ts';

test('a missing setting gets its default', () => {
  expect(checkedSettings({ backend: 'cpu' })).toEqual({
    settings: { ...defaultSettings, backend: 'cpu' },
    problems: [],
  });
});

test.each<[keyof Settings, unknown[], unknown[]]>([
  ['mode', ['automatic', 'manual', 'off'], ['on', '', 1, true]],
  ['model.path', ['', '/a.gguf'], [1, ['a'], {}]],
  ['engine.threads', [0, 8, 256], [-1, 257, 0.5, '1', Number.NaN]],
  ['cache.memoryMiB', [0, 4096], [-1, 1e300, 1.5]],
  ['completion.maxTokens', [1, 1024], [0, 1025]],
])('%s accepts the values that the manifest allows, and no others', (key, right, wrong) => {
  for (const value of right)
    expect(checkedSettings({ [key]: value })).toMatchObject({ settings: { [key]: value }, problems: [] });
  for (const value of wrong) {
    const { settings, problems } = checkedSettings({ [key]: value });
    expect([value, settings[key], problems.length]).toEqual([value, defaultSettings[key], 1]);
  }
});

test('an invalid value is reported with the setting, the allowed values and the default', () => {
  const given = { backend: 'gpu', 'engine.threads': -1, other: 1 } as unknown as Settings;
  expect(checkedSettings(given).problems).toEqual([
    'hearth.backend must be one of "auto", "cpu", "hip", "cuda", "webgpu", "webgpu-if-faster", not "gpu". The default "auto" is used.',
    'hearth.engine.threads must be a whole number from 0 to 256, not -1. The default 0 is used.',
  ]);
});
