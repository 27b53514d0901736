import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../language-server/protocol.ts';

interface Property {
  default: unknown;
  scope?: string;
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = manifest.contributes.configuration.properties;

test('package.json offers the settings that the server knows, with the same defaults', () => {
  const offered = Object.entries(properties).map(([key, property]) => [key.replace(/^hearth\./, ''), property.default]);
  expect(Object.fromEntries(offered)).toEqual(defaultSettings);
});

test('a workspace cannot choose what is loaded from this machine', () => {
  const ofMachine = Object.keys(properties).filter((key) => properties[key]?.scope === 'machine');
  expect(ofMachine).toContain('hearth.model.path');
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain('hearth.model.path');
});

test('every file that the manifest names is in the package', () => {
  const shipped = readFileSync('.vscodeignore', 'utf8').match(/(?<=^!).+$/gm);
  const named = JSON.stringify(manifest).match(/(media|dist)\/[\w.-]+/g);
  expect(shipped).toEqual(expect.arrayContaining(named as string[]));
});
