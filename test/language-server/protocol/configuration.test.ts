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
    'with full names',
    { 'hearth.server.model': 'coder', 'hearth.completion.confidence': 'calm', 'hearth.mode': 'manual' },
  ],
  [
    'as a file with nested objects',
    { hearth: { server: { model: 'coder' }, 'completion.confidence': 'calm', mode: 'manual' } },
  ],
])('a configuration is read %s', (_, value) => {
  expect(configured(value)).toEqual({ settings, problems: [] });
});

test.each([null, undefined, [], {}, [{ mode: 'off' }]])('%j sets nothing', (value) => {
  expect(configured(value).settings).toEqual({});
});

test('an unknown name is reported, but not one that only the extension uses', () => {
  expect(configured({ server: { adress: 'a' }, exclude: ['*.md'], __proto__: null, constructor: { name: 1 } })).toEqual(
    {
      settings: {},
      problems: ['There is no setting "hearth.server.adress".', 'There is no setting "hearth.constructor.name".'],
    },
  );
});

test('a setting for one language is reported as unknown, and does not apply to all', () => {
  expect(configured({ 'hearth.mode': 'automatic', '[markdown]': { 'hearth.mode': 'off' } })).toEqual({
    settings: { mode: 'automatic' },
    problems: ['There is no setting "hearth.[markdown].hearth.mode".'],
  });
});

test("a folder's configuration cannot name a file or server, or take memory or disk space", () => {
  const hostile = {
    server: { url: 'https://evil.example' },
    'model.path': '/a',
    'model.adapter': '/c',
    'model.editAdapter': '/d',
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
    'hearth.model.adapter',
    'hearth.model.editAdapter',
    'hearth.explain.model',
    'hearth.cache.diskMiB',
    'hearth.cache.memoryMiB',
    'hearth.nextEdit',
  ]);
});

test("an administrator's file is read, and its faults are reported", () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-managed-'));
  const path = join(folder, 'settings.json');
  expect(managedConfiguration(path)).toEqual({ settings: {}, problems: [] });
  writeFileSync(path, '{ "hearth.server.url": "https://llm.example.com", "hearth.server.model": "coder" }');
  const { settings, problems } = managedConfiguration(path);
  expect([settings, problems]).toEqual([{ 'server.url': 'https://llm.example.com', 'server.model': 'coder' }, []]);
  rmSync(folder, { recursive: true });
});

function managedFrom(bytes: Buffer | string) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-managed-'));
  const path = join(folder, 'settings.json');
  writeFileSync(path, bytes);
  const managed = managedConfiguration(path);
  rmSync(folder, { recursive: true });
  return { ...managed, path, folder };
}

const lenient =
  '// for all\n{ "hearth.mode": "manual", /* no disk */ "hearth.cache.diskMiB": 0, "hearth.server.model": "コード", }\n';
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['UTF-8', Buffer.from(lenient)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${lenient}`)],
  ['UTF-16, little endian', Buffer.from(`\ufeff${lenient}`, 'utf16le')],
  ['UTF-16, big endian', bigEndian(`\ufeff${lenient}`)],
  ['UTF-16, little endian, without a mark', Buffer.from(lenient, 'utf16le')],
  ['UTF-16, big endian, without a mark', bigEndian(lenient)],
  ['lines that end in CR LF', Buffer.from(lenient.replaceAll('\n', '\r\n'))],
])("an administrator's file with comments and a trailing comma is read: %s", (_, bytes) => {
  const { settings, problems } = managedFrom(bytes);
  expect(settings).toEqual({ mode: 'manual', 'cache.diskMiB': 0, 'server.model': 'コード' });
  expect(problems).toEqual([]);
});

test.each([
  ['is cut off', '{ "hearth.mode": "manual", "hearth.server.url": '],
  ['is empty', ''],
  ['is not an object', '["hearth.mode", "manual"]'],
  ['has damaged characters', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['is cut off in UTF-16', Buffer.from(lenient, 'utf16le').subarray(0, 61)],
])("if an administrator's file %s, suggestions are off and a sentence says why", (_, bytes) => {
  const { settings, problems, path } = managedFrom(bytes);
  expect(settings).toEqual({ mode: 'off' });
  expect(problems).toEqual([`${path} is not valid JSON, so suggestions are off. Its administrator can mend it.`]);
});

test("an invalid mode in an administrator's file turns suggestions off, and the rest of the file applies", () => {
  const { settings, problems } = managedFrom('{ "hearth.mode": "of", "hearth.server.model": "coder" }');
  expect(settings).toEqual({ mode: 'off', 'server.model': 'coder' });
  expect(problems[0]).toContain('sets "hearth.mode" to "of", which is no mode, so suggestions are off.');
});

test("an administrator's file that cannot be opened turns suggestions off", () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-managed-'));
  const { settings, problems } = managedConfiguration(folder);
  expect(settings).toEqual({ mode: 'off' });
  expect(problems).toEqual([
    `${folder} cannot be read (EISDIR), so suggestions are off. Its administrator can mend it.`,
  ]);
  rmSync(folder, { recursive: true });
});

test('names and values of settings cannot forge a line of the log or flood a message', () => {
  const forged = {
    'a\n[error] b\u001b[2J\u202ec': 1,
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
