import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  configured,
  configuredForFolder,
  managedConfiguration,
} from '../../../language-server/protocol/configuration.ts';
import { checkedSettings } from '../../../language-server/protocol/settings.ts';

const settings = { 'server.model': 'coder', 'completion.confidence': 'calm', mode: 'manual' };

test.each([
  ['with dots', { 'server.model': 'coder', 'completion.confidence': 'calm', mode: 'manual' }],
  ['nested', { server: { model: 'coder' }, completion: { confidence: 'calm' }, mode: 'manual' }],
  [
    'with whole names',
    { 'hearth.server.model': 'coder', 'hearth.completion.confidence': 'calm', 'hearth.mode': 'manual' },
  ],
  ['as a whole file', { hearth: { server: { model: 'coder' }, 'completion.confidence': 'calm', mode: 'manual' } }],
])('a configuration is read %s', (_, value) => {
  expect(configured(value)).toEqual({ settings, problems: [] });
});

test.each([null, undefined, [], {}, [{ mode: 'off' }]])('%j sets nothing', (value) => {
  expect(configured(value).settings).toEqual({});
});

test('an unknown name is said, and one of the extension is not', () => {
  expect(configured({ server: { adress: 'a' }, exclude: ['*.md'], __proto__: null, constructor: { name: 1 } })).toEqual(
    {
      settings: {},
      problems: ['There is no setting "hearth.server.adress".', 'There is no setting "hearth.constructor.name".'],
    },
  );
});

test('a setting for one language is said to be none, and does not count for all', () => {
  expect(configured({ 'hearth.mode': 'automatic', '[markdown]': { 'hearth.mode': 'off' } })).toEqual({
    settings: { mode: 'automatic' },
    problems: ['There is no setting "hearth.[markdown].hearth.mode".'],
  });
});

test('the configuration of a folder names no file and no server, and takes no memory and no disk', () => {
  const hostile = {
    server: { url: 'https://evil.example' },
    'model.path': '/a',
    mode: 'manual',
    explain: { model: '/b' },
    cache: { diskMiB: 100_000, memoryMiB: 1e9 },
    nextEdit: 'eager',
    completion: { maxTokens: 7, confidence: 'eager' },
  };
  const { settings, problems } = configuredForFolder(hostile);
  expect(settings).toEqual({ mode: 'manual', 'completion.maxTokens': 7, 'completion.confidence': 'eager' });
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'hearth.server.url',
    'hearth.model.path',
    'hearth.explain.model',
    'hearth.cache.diskMiB',
    'hearth.cache.memoryMiB',
    'hearth.nextEdit',
  ]);
});

test("an administrator's file is read, and its faults are said", () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-managed-'));
  const path = join(folder, 'settings.json');
  expect(managedConfiguration(path)).toEqual({ settings: {}, problems: [] });
  writeFileSync(path, '{ "hearth.server.url": "https://llm.example.com", "hearth.server.model": "coder" }');
  const { settings, problems } = managedConfiguration(path);
  expect([settings, problems]).toEqual([{ 'server.url': 'https://llm.example.com', 'server.model': 'coder' }, []]);
  writeFileSync(path, '\ufeff{ "hearth.mode": "off" }');
  expect(managedConfiguration(path)).toEqual({ settings: { mode: 'off' }, problems: [] });
  writeFileSync(path, '{ "hearth.server.url": ');
  expect(managedConfiguration(path).problems).toEqual([`${path} is not valid JSON, so it has no effect.`]);
  expect(managedConfiguration(folder).problems).toEqual([`${folder} cannot be read (EISDIR).`]);
  rmSync(folder, { recursive: true });
});

test('the names and values of settings forge no line of the log and fill no message', () => {
  const forged = {
    ['a\n[error] b\u001b[2J\u202ec']: 1,
    ['k'.repeat(1e6)]: 2,
    ...Object.fromEntries([...Array(999).keys()].entries()),
  };
  const { problems } = configured(forged);
  const wrong = checkedSettings({ mode: '\u202e\n'.repeat(9999) as never }).problems;
  expect(problems.length).toBeLessThanOrEqual(10);
  for (const problem of [...problems, ...wrong, ...configuredForFolder(forged).problems]) {
    expect(problem).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(problem.length).toBeLessThan(500);
  }
});
