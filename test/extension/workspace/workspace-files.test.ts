// The files that the server gets, and when it gets them, with a stub of VS Code's API.
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WorkspaceFiles } from '../../../extension/workspace/workspace-files.ts';
import type { ClosedFilesParams } from '../../../language-server/protocol/messages.ts';

const editor = vi.hoisted(() => ({
  folder: '',
  isTrusted: true,
  mode: 'automatic',
  searchExclude: {} as Record<string, boolean>,
  /** Called before the text of a file is read. */
  onRead: () => {},
  listeners: {} as Record<string, (value: unknown) => unknown>,
}));

vi.mock('vscode', async () => {
  const { languages, RelativePattern, toRegExp } = await import('../../support/globs.ts');
  const uriOf = (path: string) => {
    const url = pathToFileURL(path).href;
    return { scheme: 'file', path, fsPath: path, toString: () => url };
  };
  const on = (name: string) => (listener: (value: unknown) => unknown) => {
    editor.listeners[name] = listener;
    return { dispose: () => {} };
  };
  return {
    languages,
    RelativePattern,
    FileType: { File: 1, Directory: 2 },
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      get workspaceFolders() {
        return [{ uri: uriOf(editor.folder) }];
      },
      getWorkspaceFolder: () => ({ uri: uriOf(editor.folder) }),
      getConfiguration: () => ({
        get: (key: string) => (key === 'search.exclude' ? editor.searchExclude : undefined),
        inspect: (key: string) => (key === 'mode' ? { defaultValue: editor.mode } : undefined),
      }),
      createFileSystemWatcher: (glob: string) => ({
        onDidChange: on(`change ${glob}`),
        onDidCreate: on(`create ${glob}`),
        onDidDelete: on(`delete ${glob}`),
        dispose: () => {},
      }),
      onDidGrantWorkspaceTrust: on('trust'),
      onDidChangeWorkspaceFolders: on('folders'),
      onDidChangeConfiguration: on('configuration'),
      onDidSaveTextDocument: on('save'),
      // As in VS Code, braces cannot be nested. The limit is a hundredth of the real one, so that few files reach it.
      findFiles: async ({ baseUri }: { baseUri: { fsPath: string } }, exclude: string, limit: number) => {
        const globs = exclude.slice(1, -1).split(',');
        return readdirSync(baseUri.fsPath, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
          .map((entry) => join(entry.parentPath, entry.name))
          .filter((path) => !globs.some((glob) => toRegExp(glob).test(path.slice(editor.folder.length + 1))))
          .slice(0, limit / 100)
          .map(uriOf);
      },
      fs: {
        stat: async ({ fsPath }: { fsPath: string }) => {
          const found = statSync(fsPath);
          return { size: found.size, type: found.isDirectory() ? 2 : 1 };
        },
        readFile: async ({ fsPath }: { fsPath: string }) => {
          editor.onRead();
          return readFileSync(fsPath);
        },
      },
    },
  };
});

const sent: ClosedFilesParams[] = [];
let files: WorkspaceFiles;

beforeEach(() => {
  editor.folder = mkdtempSync(join(tmpdir(), 'hearth-files-'));
  Object.assign(editor, { isTrusted: true, mode: 'automatic', searchExclude: {}, onRead: () => {} });
  sent.length = 0;
  const pace = { beginMs: 1, pauseMs: 1, quietMs: 20 };
  files = new WorkspaceFiles(async (params) => void sent.push(params), pace);
});

afterEach(() => {
  files.dispose();
  rmSync(editor.folder, { recursive: true });
});

function write(path: string, text: string): string {
  const file = join(editor.folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const uriOf = (path: string) => ({
  scheme: 'file',
  path,
  fsPath: path,
  toString: () => pathToFileURL(path).href,
});

/** The files that the server has after all messages, by path. */
function known(): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { isAnew, files } of sent) {
    if (isAnew) for (const path of Object.keys(texts)) delete texts[path];
    for (const { uri, text } of files) {
      const path = fileURLToPath(uri).slice(editor.folder.length + 1);
      if (text === null) delete texts[path];
      else texts[path] = text;
      if (text === null)
        for (const inside of Object.keys(texts)) if (inside.startsWith(`${path}/`)) delete texts[inside];
    }
  }
  return texts;
}

/** Waits until the server has exactly these files. */
const knows = (expected: Record<string, string>) => expect.poll(known).toEqual(expected);

test('files of a trusted workspace are sent, except excluded, ignored, secret and long ones', async () => {
  execFileSync('git', ['init', '--quiet', editor.folder]);
  write('.gitignore', 'ignored.ts\n');
  write('src/a.ts', 'a();\n');
  write('ignored.ts', 'b();\n');
  write('hidden/c.ts', 'c();\n');
  write('.env.ts', 'd();\n');
  write('long.ts', 'e();\n'.repeat(20_000));
  editor.searchExclude = { '**/hidden': true };
  await files.connected();
  await knows({ 'src/a.ts': 'a();\n' });
  expect(sent[0]).toEqual({ isAnew: true, files: [] });
});

test.each<[string, Partial<typeof editor>]>([
  ['of an untrusted workspace', { isTrusted: false }],
  ['while Hearth is off', { mode: 'off' }],
])('nothing is sent %s', async (_, state) => {
  write('a.ts', 'a();\n');
  Object.assign(editor, state);
  await files.connected();
  editor.listeners['change **']?.(uriOf(join(editor.folder, 'a.ts')));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(sent).toEqual([{ isAnew: true, files: [] }]);
});

test('once the workspace is trusted, its files are sent', async () => {
  write('a.ts', 'a();\n');
  editor.isTrusted = false;
  await files.connected();
  editor.isTrusted = true;
  void editor.listeners.trust?.(undefined);
  await knows({ 'a.ts': 'a();\n' });
});

test('a changed file is sent again, and a deleted one is forgotten', async () => {
  const [a, b] = [write('a.ts', 'a();\n'), write('b.ts', 'b();\n')];
  await files.connected();
  writeFileSync(a, 'changed();\n');
  rmSync(b);
  editor.listeners['change **']?.(uriOf(a));
  editor.listeners['delete **']?.(uriOf(b));
  await knows({ 'a.ts': 'changed();\n' });
});

test('when a folder is moved, its files move, too, although the only event is that of the folder', async () => {
  write('old/a.ts', 'a();\n');
  write('old/deep/b.ts', 'b();\n');
  await files.connected();
  const [old, moved] = [join(editor.folder, 'old'), join(editor.folder, 'moved')];
  renameSync(old, moved);
  editor.listeners['delete **']?.(uriOf(old));
  editor.listeners['create **']?.(uriOf(moved));
  await knows({ 'moved/a.ts': 'a();\n', 'moved/deep/b.ts': 'b();\n' });
  writeFileSync(join(editor.folder, 'Makefile'), 'all:\n');
  editor.listeners['create **']?.(uriOf(join(editor.folder, 'Makefile')));
  editor.listeners['change **']?.(uriOf(write('moved/a.ts', 'changed();\n')));
  await knows({ 'moved/a.ts': 'changed();\n', 'moved/deep/b.ts': 'b();\n' });
});

test.each(['node_modules', 'ignored'])(
  'files written to %s are not read, and do not cause other files to be read',
  async (name) => {
    execFileSync('git', ['init', '--quiet', editor.folder]);
    write('.gitignore', 'ignored\n');
    const a = write('a.ts', 'a();\n');
    await files.connected();
    sent.length = 0;
    const installed = Array.from({ length: 300 }, (_, i) => write(`${name}/b/${i}.ts`, ''));
    for (const path of [join(editor.folder, name), ...installed]) editor.listeners['create **']?.(uriOf(path));
    writeFileSync(a, 'changed();\n');
    editor.listeners['change **']?.(uriOf(a));
    await knows({ 'a.ts': 'changed();\n' });
    expect(sent.length).toBe(1);
  },
);

test('a file that is excluded later is forgotten', async () => {
  write('a.ts', 'a();\n');
  write('hidden/b.ts', 'b();\n');
  await files.connected();
  expect(Object.keys(known())).toHaveLength(2);
  editor.searchExclude = { '**/hidden': true };
  void editor.listeners.configuration?.({ affectsConfiguration: (key: string) => key === 'search.exclude' });
  await knows({ 'a.ts': 'a();\n' });
});

test('a file that is excluded while it is read is not sent', async () => {
  write('hidden/b.ts', 'b();\n');
  editor.onRead = () => {
    editor.searchExclude = { '**/hidden': true };
    void editor.listeners.configuration?.({ affectsConfiguration: (key: string) => key === 'search.exclude' });
  };
  await files.connected();
  expect(sent).toEqual([
    { isAnew: true, files: [] },
    { isAnew: true, files: [] },
  ]);
});

test('a file is forgotten after another program has made git ignore it', async () => {
  execFileSync('git', ['init', '--quiet', editor.folder]);
  write('a.ts', 'a();\n');
  write('b.ts', 'b();\n');
  await files.connected();
  expect(Object.keys(known())).toHaveLength(2);
  write('.gitignore', 'b.ts\n');
  void editor.listeners['create **/.gitignore']?.(undefined);
  await knows({ 'a.ts': 'a();\n' });
});

test('a new server is sent all files', async () => {
  write('a.ts', 'a();\n');
  await files.connected();
  sent.length = 0;
  await files.connected();
  expect(known()).toEqual({ 'a.ts': 'a();\n' });
});

test('files ignored by git do not use up the limit', async () => {
  execFileSync('git', ['init', '--quiet', editor.folder]);
  write('.gitignore', 'a\n');
  for (let i = 0; i < 50; i++) write(`a/${i}.ts`, '');
  write('b/main.ts', 'b();\n');
  await files.connected();
  expect(known()).toEqual({ 'b/main.ts': 'b();\n' });
});

test('files hidden by a glob with braces do not use up the limit', async () => {
  for (let i = 0; i < 200; i++) write(`a/made-${i}.generated.ts`, '');
  write('b/main.ts', 'b();\n');
  editor.searchExclude = { '**/*.{generated,{min,dist}}.ts': true };
  await files.connected();
  expect(known()).toEqual({ 'b/main.ts': 'b();\n' });
});
