import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings, type Settings } from '../../language-server/protocol.ts';
import { settingKinds, usableSettings } from '../../language-server/settings.ts';

interface Property {
  type: string;
  default: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = manifest.contributes.configuration.properties;

/** Values that the manifest allows, and such as it does not. */
function samples(property: Property): { right: unknown[]; wrong: unknown[] } {
  const { type, minimum = 0, maximum } = property;
  const ends = maximum === undefined ? [minimum] : [minimum, maximum];
  if (property.enum) return { right: property.enum, wrong: ['', 'none of them', 1, null] };
  if (type === 'integer')
    return { right: ends, wrong: [minimum - 1, minimum + 0.5, '1', null, ...ends.slice(1).map((end) => end + 1)] };
  if (type === 'boolean') return { right: [true, false], wrong: [0, 'true', null] };
  if (type === 'array') return { right: [[], ['go']], wrong: ['go', [1], null, {}] };
  return { right: ['', 'a'], wrong: [1, ['a'], null] };
}

test.each(Object.entries(properties))('%s has the values that the manifest allows, and no others', (name, property) => {
  const key = name.replace(/^hearth\./, '') as keyof Settings;
  const { right, wrong } = samples(property);
  for (const value of [property.default, ...right])
    expect([value, settingKinds[key].has(value)]).toEqual([value, true]);
  for (const value of wrong) expect([value, settingKinds[key].has(value)]).toEqual([value, false]);
});

test('a value that is none counts as not set, and the log names setting, values and default', () => {
  const warnings: string[] = [];
  const given = { 'cache.type': 'q8', 'engine.threads': -1, backend: 'cpu', other: 1 } as unknown as Settings;
  expect(usableSettings(given, (message) => warnings.push(message))).toEqual({ ...defaultSettings, backend: 'cpu' });
  expect(warnings).toEqual([
    'hearth.engine.threads must be a whole number from 0 to 256, not -1: 0 is used',
    'hearth.cache.type must be one of f16, int8, not "q8": "f16" is used',
  ]);
});
