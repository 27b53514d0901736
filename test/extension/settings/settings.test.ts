import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';

interface Property {
  default: unknown;
  scope?: string;
  ignoreSync?: boolean;
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = manifest.contributes.configuration.properties;

test('package.json has every setting of the server', () => {
  const offered = Object.keys(properties).map((key) => key.replace(/^hearth\./, ''));
  expect(offered).toEqual(expect.arrayContaining(Object.keys(defaultSettings)));
});

test('settings about files and hardware belong to the user: used in remote windows, too, never synchronized', () => {
  const machineSettings = Object.keys(properties).filter((key) => /model|backend|gpu|engine|cache/i.test(key));
  expect(machineSettings).toContain('hearth.model.path');
  for (const key of machineSettings) expect(properties[key]).toMatchObject({ scope: 'application', ignoreSync: true });
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain('hearth.model.path');
});

test('every file that the manifest names is in the package', () => {
  const shipped = readFileSync('.vscodeignore', 'utf8').match(/(?<=^!).+$/gm);
  const named = JSON.stringify(manifest).match(/(media|dist)\/[\w.-]+/g);
  expect(shipped).toEqual(expect.arrayContaining(named as string[]));
});
