// The code that the editor shares with the server, with a stub of VS Code's API.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { RelatedCode } from '../../../extension/workspace/related-code.ts';

const editor = vi.hoisted(() => ({
  folder: '',
  isTrusted: true,
  /** The answer of the definition provider. */
  places: [] as unknown[] | undefined,
  fails: false,
  foldersChanged: () => {},
  rulesCreated: () => {},
}));

const files = await vi.hoisted(async () => new (await import('../../support/settings-files.ts')).SettingsFiles());

vi.mock('vscode', async () => {
  const { languages, RelativePattern } = await import('../../support/globs.ts');
  class Uri {
    constructor(private readonly text: string) {}
    static parse = (text: string) => new Uri(text);
    get scheme() {
      return this.text.replace(/:.*$/, '');
    }
    get fsPath() {
      return fileURLToPath(this.text);
    }
    with({ scheme }: { scheme: string }) {
      return new Uri(this.text.replace(/^[\w-]+(?=:)/, scheme).replace(/#.*$/, ''));
    }
    toString() {
      return this.text;
    }
  }
  const folderOf = (uri: Uri) =>
    uri.fsPath.startsWith(`${editor.folder}/`) ? { uri: new Uri(pathToFileURL(editor.folder).href) } : undefined;
  return {
    Uri,
    RelativePattern,
    Position: class {},
    Range: class {
      constructor(
        readonly start: unknown,
        readonly end: unknown,
      ) {}
    },
    commands: {
      executeCommand: () => (editor.fails ? Promise.reject(new Error('no provider')) : Promise.resolve(editor.places)),
    },
    languages,
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      textDocuments: [],
      fs: {
        stat: async (uri: Uri) => statSync(uri.fsPath),
        readFile: async (uri: Uri) => readFileSync(uri.fsPath),
      },
      getWorkspaceFolder: folderOf,
      get workspaceFolders() {
        return [folderOf(new Uri(`${pathToFileURL(editor.folder).href}/a`))];
      },
      getConfiguration: files.getConfiguration,
      createFileSystemWatcher: (glob: string) => ({
        onDidChange: () => ({ dispose: () => {} }),
        onDidCreate: (listener: () => void) => {
          expect(glob).toBe('**/.gitignore');
          editor.rulesCreated = listener;
          return { dispose: () => {} };
        },
        onDidDelete: () => ({ dispose: () => {} }),
        dispose: () => {},
      }),
      onDidChangeConfiguration: () => ({ dispose: () => {} }),
      onDidSaveTextDocument: () => ({ dispose: () => {} }),
      onDidChangeWorkspaceFolders: (listener: () => void) => {
        editor.foldersChanged = listener;
        return { dispose: () => {} };
      },
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), 'hearth-related-'));
editor.folder = join(folder, 'app');
const uriOf = (path: string) => pathToFileURL(join(editor.folder, path)).href;
for (const path of [
  'src/main.ts',
  'src/store.ts',
  'generated/api.ts',
  'private/notes.ts',
  'prose.md',
  '../other/a.ts',
]) {
  mkdirSync(dirname(join(editor.folder, path)), { recursive: true });
  writeFileSync(join(editor.folder, path), `// ${path}\n`);
}
writeFileSync(join(editor.folder, 'src/huge.ts'), 'x'.repeat(100_000));
writeFileSync(join(editor.folder, '.gitignore'), 'private\n');
execFileSync('git', ['init', '--quiet', editor.folder]);

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  files.clear();
  Object.assign(editor, { isTrusted: true, places: [], fails: false });
});

const position = { line: 0, character: 0 };

async function shared(...paths: string[]): Promise<string[]> {
  const params = { uri: uriOf('src/main.ts'), positions: [], documents: paths.map(uriOf) };
  return (await new RelatedCode().answer(params)).shared.map((uri) => uri.slice(uriOf('').length + 1));
}

async function defined(...places: unknown[]) {
  editor.places = places;
  const params = { uri: uriOf('src/main.ts'), positions: [position], documents: [] };
  return (await new RelatedCode().answer(params)).defined;
}

const lines = (start: number, end: number) => ({
  start: { line: start },
  end: { line: end, translate: (more: number) => ({ line: end + more }) },
});

test('files of the workspace are shared', async () => {
  expect(await shared('src/store.ts', 'prose.md')).toEqual(['src/store.ts', 'prose.md']);
});

test('a file is shared while its folder is in the workspace', async () => {
  const related = new RelatedCode();
  const documents = [pathToFileURL(join(folder, 'other/a.ts')).href];
  const answer = async () => (await related.answer({ uri: uriOf('src/main.ts'), positions: [], documents })).shared;
  const first = editor.folder;
  expect(await answer()).toEqual([]);
  editor.folder = join(folder, 'other');
  editor.foldersChanged();
  expect(await answer()).toEqual(documents);
  editor.folder = first;
  editor.foldersChanged();
  expect(await answer()).toEqual([]);
});

test('a file is no longer shared after another program has made git ignore it', async () => {
  const related = new RelatedCode();
  const params = { uri: uriOf('src/main.ts'), positions: [], documents: [uriOf('generated/api.ts')] };
  expect((await related.answer(params)).shared).toHaveLength(1);
  const rules = join(editor.folder, 'generated/.gitignore');
  writeFileSync(rules, 'api.ts\n');
  editor.rulesCreated();
  expect((await related.answer(params)).shared).toEqual([]);
  rmSync(rules);
});

test('nothing is shared in a workspace that is not trusted', async () => {
  editor.isTrusted = false;
  // A repository's configuration can name a program for git to start. In a trusted workspace, git starts this one.
  const trace = join(folder, 'started');
  const config = ['-C', editor.folder, 'config', 'core.fsmonitor', `touch ${trace}; false`];
  execFileSync('git', config);
  expect(await shared('src/store.ts')).toEqual([]);
  expect(existsSync(trace)).toBe(false);
  editor.isTrusted = true;
  await shared('src/store.ts');
  expect(existsSync(trace)).toBe(true);
  editor.isTrusted = false;
  execFileSync('git', [...config.slice(0, 3), '--unset', 'core.fsmonitor']);
  expect(await defined({ uri: uriOf('src/store.ts'), range: lines(0, 0) })).toEqual([]);
});

test.each([
  ['ignored by git', 'private/notes.ts', {}],
  ['outside the workspace', '../other/a.ts', {}],
  ['excluded from the explorer', 'generated/api.ts', { 'files.exclude': { '**/generated': true } }],
  ['excluded from the search', 'generated/api.ts', { 'search.exclude': { generated: true } }],
  ['excluded from Hearth', 'prose.md', { 'hearth.exclude': ['**/*.md'] }],
])('a file %s is not shared', async (_, path, settings) => {
  files.user = settings;
  expect(await shared('src/store.ts', path)).toEqual(['src/store.ts']);
});

test.skipIf(process.platform === 'win32')('files behind a link and endless files are not shared', async () => {
  const links = {
    'linked/outside.ts': '../../other/a.ts',
    'linked/folder/a.ts': null,
    'linked/endless.ts': '/dev/zero',
    'linked/secret.ts': '../.env',
    'linked/nowhere.ts': 'gone.ts',
    'linked/inside.ts': '../src/store.ts',
  };
  mkdirSync(join(editor.folder, 'linked'));
  writeFileSync(join(editor.folder, '.env'), 'PORT=1\n');
  symlinkSync('../../other', join(editor.folder, 'linked/folder'));
  for (const [name, target] of Object.entries(links)) if (target) symlinkSync(target, join(editor.folder, name));
  execFileSync('mkfifo', [join(editor.folder, 'linked/pipe.ts')]);
  const names = [...Object.keys(links), 'linked/pipe.ts'];
  expect(await shared(...names, 'src/store.ts')).toEqual(['src/store.ts']);
  for (const name of names) expect(await defined({ uri: uriOf(name), range: lines(0, 0) })).toEqual([]);
});

test('an exclusion that is switched off excludes nothing', async () => {
  files.user = { 'files.exclude': { '**/generated': false } };
  expect(await shared('generated/api.ts')).toEqual(['generated/api.ts']);
});

test('a workspace can exclude more files, but not bring back files that the user excluded', async () => {
  files.user = { 'files.exclude': { '**/generated': true }, 'hearth.exclude': ['*.md'] };
  files.workspace = { 'files.exclude': { '**/generated': false, '**/store.ts': true }, 'hearth.exclude': [] };
  expect(await shared('generated/api.ts', 'prose.md', 'src/store.ts', 'src/huge.ts')).toEqual(['src/huge.ts']);
});

test('a definition is shared with its whole file and its line numbers', async () => {
  const target = { targetUri: uriOf('src/store.ts'), targetRange: lines(3, 9) };
  expect(await defined(target)).toEqual([
    { uri: uriOf('src/store.ts'), text: '// src/store.ts\n', lines: [{ start: 3, end: 9 }] },
  ]);
});

test('many definitions in libraries do not displace those in the workspace', async () => {
  const paths = [...Array.from({ length: 8 }, (_, i) => `../library/${i}.ts`), 'src/store.ts'];
  const found = await defined(...paths.map((path) => ({ uri: uriOf(path), range: lines(0, 0) })));
  expect(found.map(({ uri }) => uri)).toEqual([uriOf('src/store.ts')]);
});

test('if only the name of a definition is known, the lines below it are included', async () => {
  const [file] = await defined({ uri: uriOf('src/store.ts'), range: lines(3, 3) });
  expect(file?.lines).toEqual([{ start: 3, end: 33 }]);
});

test('definitions in the document itself and in huge, ignored or missing files are left out', async () => {
  const paths = ['src/main.ts', 'src/huge.ts', 'private/notes.ts', 'src/gone.ts'];
  expect(await defined(...paths.map((path) => ({ uri: uriOf(path), range: lines(0, 0) })))).toEqual([]);
});

test.each([
  ['fails', { fails: true }],
  ['answers nothing', { places: undefined }],
])('if a provider %s, everything else is still shared', async (_, provider) => {
  Object.assign(editor, provider);
  const params = { uri: uriOf('src/main.ts'), positions: [position], documents: [uriOf('src/store.ts')] };
  expect(await new RelatedCode().answer(params)).toEqual({ defined: [], shared: [uriOf('src/store.ts')] });
});
