import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reasonTexts } from '../../language-server/protocol/reasons.ts';

type Texts = Record<string, string>;
const readJson = (file: string): Texts => JSON.parse(readFileSync(file, 'utf8'));
const manifest = readFileSync('package.json', 'utf8');
const english = readJson('package.nls.json');
const germanManifest = readJson('package.nls.de.json');
const german = readJson('l10n/bundle.l10n.de.json');

/** The string literals that directly follow a match, in all TypeScript files of a folder. */
function literalsAfter(before: string, folder: string): string[] {
  const literal = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(new RegExp(`${before}\\s*(?:${literal.source})`, 'g'))].map(
      ([, single, double]) => (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

const placeholders = (text: string) => [...new Set(text.match(/\{\d+\}|\$\([\w~-]+\)/g))].sort();
const keysOf = (text: string) => [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '').sort();

test('every sentence that the extension shows has a German translation, and no translation is unused', () => {
  const shown = literalsAfter('l10n\\.t\\(', 'extension');
  expect(shown.length).toBeGreaterThan(100);
  // Sentences from the server that the extension translates when an explanation fails.
  const refusals = literalsAfter('throw new Error\\(', 'language-server').filter((text) => /^[A-Z].*\.$/.test(text));
  expect(refusals).toContain('This code is not explained, because it seems to hold a password or a key.');
  const all = new Set([
    ...shown,
    ...Object.values(reasonTexts),
    ...refusals,
    'The model is being replaced. Please try again.',
  ]);
  expect(Object.keys(german).sort()).toEqual([...all].sort());
});

test('package.json takes its texts from package.nls.json, and all have a German translation', () => {
  const keys = keysOf(manifest);
  expect(Object.keys(english).sort()).toEqual(keys);
  expect(Object.keys(germanManifest).sort()).toEqual(keys);
  const words = /"(title|\w*[dD]escription|altText)": "([^%"][^"]*)"/g;
  expect([...manifest.matchAll(words)].map(([, , text]) => text)).toEqual(['Hearth']);
});

test.each([
  ['the extension', Object.entries(german)],
  ['package.json', Object.keys(english).map((key): [string, string] => [english[key]!, germanManifest[key]!])],
])('translations of %s have the same placeholders and icons', (_, pairs) => {
  for (const [text, translation] of pairs) {
    expect(translation).not.toBe('');
    expect(placeholders(translation), text).toEqual(placeholders(text));
  }
});

test('the walkthrough has the same links in German', () => {
  const commands = (text = '') => text.match(/\(command:[^)]+\)/g);
  const steps = Object.keys(english).filter((key) => /^walkthrough\.\w+\.description$/.test(key));
  expect(steps).toHaveLength(5);
  for (const key of steps) {
    expect(commands(english[key])?.length).toBeGreaterThan(0);
    expect(commands(germanManifest[key])).toEqual(commands(english[key]));
    expect(english[key]).not.toContain('*');
  }
});
