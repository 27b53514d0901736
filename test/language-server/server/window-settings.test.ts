import { expect, test } from 'vitest';
import type { Mode } from '../../../language-server/protocol/messages.ts';
import { WindowSettings } from '../../../language-server/server/window-settings.ts';

test.each<[Mode | undefined, Mode | undefined, Mode]>([
  ['off', 'automatic', 'off'],
  ['manual', 'automatic', 'manual'],
  ['manual', 'off', 'off'],
  ['automatic', 'manual', 'manual'],
  [undefined, 'manual', 'manual'],
  [undefined, 'automatic', 'automatic'],
  ['manual', undefined, 'manual'],
  [undefined, undefined, 'automatic'],
])('where the user has %s, a folder with %s makes it %s', (given, ofFolder, mode) => {
  const own = new WindowSettings();
  own.give(given && { mode: given });
  own.configure(ofFolder && { mode: ofFolder });
  expect(own.settings.mode).toBe(mode);
  own.configure(null);
  expect(own.settings.mode).toBe(given ?? 'automatic');
});
