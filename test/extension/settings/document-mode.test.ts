// Which documents get suggestions. A workspace can only restrict the user's settings.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TextDocument } from 'vscode';
import { DocumentModes } from '../../../extension/settings/document-mode.ts';

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());
const settings = vi.hoisted(() => ({ changed: (_: { affectsConfiguration(section: string): boolean }) => {} }));

vi.mock('vscode', async (original) => {
  const { languages, RelativePattern } = await import('../../support/globs.ts');
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    ConfigurationTarget: {},
    languages,
    RelativePattern,
    workspace: {
      workspaceFolders: [{ uri: { fsPath: '/app' } }],
      getConfiguration: files.getConfiguration,
      onDidChangeConfiguration: (listener: typeof settings.changed) => {
        settings.changed = listener;
        return { dispose: vi.fn() };
      },
    },
  };
});

let modes: DocumentModes;
beforeEach(() => {
  modes = new DocumentModes();
});
afterEach(() => {
  modes.dispose();
  files.clear();
  vi.useRealTimers();
});

const of = (path: string, languageId = 'typescript') =>
  modes.of({ uri: { fsPath: path, toString: () => `file://${path}` }, languageId } as TextDocument).reason;
const mode = (value: string) => ({ 'hearth.mode': value });

test.each<[pattern: string, excluded: string[], others: string[]]>([
  ['*.min.js', ['a.min.js', 'src/b.min.js'], ['a.js', 'min.js/c']],
  ['src/gen/**', ['src/gen/a.ts', 'src/gen/deep/a.ts'], ['gen/a.ts', 'lib/src/gen/a.ts']],
  ['src/gen/', ['src/gen/a.ts'], ['src/general.ts']],
  ['vendor', ['vendor/a.js', 'lib/vendor/deep/a.js'], ['vendors/a.js']],
  ['**/*.snap', ['a.snap', 'test/b.snap'], ['snap.ts']],
  ['/app/secret/*', ['secret/a.ts'], ['src/a.ts']],
  ['', [], ['a.ts']],
])('the pattern "%s" excludes the right files', (pattern, excluded, others) => {
  files.user = { 'hearth.exclude': [pattern] };
  for (const path of excluded) expect([path, of(`/app/${path}`)]).toEqual([path, 'excluded']);
  for (const path of others) expect([path, of(`/app/${path}`)]).toEqual([path, 'shown']);
});

test('a pattern without a slash applies outside the workspace, too', () => {
  files.user = { 'hearth.exclude': ['*.md', 'src/**'] };
  expect(of('/tmp/notes.md')).toBe('excluded');
  expect(of('/tmp/src/a.ts')).toBe('shown');
});

test('a file whose name says that it holds secrets gets no suggestions', () => {
  expect(of('/app/.env')).toBe('secrets-file');
});

test('a commit message gets no suggestions', () => {
  expect(of('/app/.git/COMMIT_EDITMSG', 'git-commit')).toBe('message');
  expect(of('test/scm0/input', 'scminput')).toBe('message');
  expect(of('/app/notes.md', 'markdown')).toBe('shown');
});

test('a value that is not a list of patterns excludes nothing', () => {
  files.user = { 'hearth.exclude': [3, null, '*.md'] };
  files.workspace = { 'hearth.exclude': { '*.ts': true } };
  expect(of('/app/a.ts')).toBe('shown');
  expect(of('/app/a.md')).toBe('excluded');
});

test("a workspace adds patterns to the user's and removes none", () => {
  files.user = { 'hearth.exclude': ['*.md'] };
  files.workspace = { 'hearth.exclude': [] };
  expect(of('/app/a.md')).toBe('excluded');
  files.workspace = { 'hearth.exclude': ['*.sql'] };
  expect(of('/app/a.md')).toBe('excluded');
  expect(of('/app/a.sql')).toBe('excluded');
});

test.each<[user: object, workspace: object, holds: string]>([
  [mode('off'), mode('automatic'), 'off'],
  [mode('off'), { '[typescript]': mode('automatic') }, 'off'],
  [{ '[typescript]': mode('off') }, { '[typescript]': mode('automatic') }, 'off'],
  [mode('manual'), mode('automatic'), 'manual'],
  [mode('manual'), mode('off'), 'off'],
  [{}, mode('manual'), 'manual'],
  [{ '[typescript]': mode('automatic') }, mode('off'), 'off'],
  [mode('off'), { '[rust]': mode('automatic') }, 'off'],
  // Both the user and the workspace may have another mode for a language.
  [{ ...mode('off'), '[typescript]': mode('automatic') }, {}, 'shown'],
  [{}, { ...mode('off'), '[typescript]': mode('automatic') }, 'shown'],
])("with the user's modes %j and the workspace's %j, the stricter holds", (user, workspace, holds) => {
  Object.assign(files, { user, workspace });
  expect(of('/app/a.ts')).toBe(holds);
});

test('a snooze ends by itself at the announced time', () => {
  vi.useFakeTimers({ now: new Date(2026, 2, 1, 14, 5) });
  modes.snooze(30);
  expect(of('/app/a.ts')).toBe('snoozed');
  expect(modes.snoozeEnd).toEqual(new Date(2026, 2, 1, 14, 35));
  vi.advanceTimersByTime(30 * 60_000);
  expect(of('/app/a.ts')).toBe('shown');
  expect(modes.snoozeEnd).toBeNull();
});

test('a snooze is over when its listeners are told, even if the timer fires slightly early', () => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(0.9);
  modes.snooze(1);
  const reasons: string[] = [];
  modes.onChange(() => reasons.push(of('/app/a.ts')));
  vi.advanceTimersByTime(59_999.5);
  expect(performance.now() % 1).toBeCloseTo(0.4);
  expect(reasons).toEqual(['shown']);
});

test("listeners learn of a snooze and of changed settings, but not of other extensions' settings", () => {
  const changed = vi.fn();
  modes.onChange(changed);
  modes.snooze(30);
  expect(changed).toHaveBeenCalledTimes(1);
  settings.changed({ affectsConfiguration: (section) => section === 'hearth' });
  expect(changed).toHaveBeenCalledTimes(2);
  settings.changed({ affectsConfiguration: (section) => section === 'editor' });
  expect(changed).toHaveBeenCalledTimes(2);
});
