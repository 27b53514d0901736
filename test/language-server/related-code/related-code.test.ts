// Which code from other files is found for a place, and which is never found.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { ChunkedDocument } from '../../../language-server/related-code/chunks.ts';
import { RelatedCode } from '../../../language-server/related-code/related-code.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { type CrossFileCase, readCrossFileCases, workspaceUri } from '../../support/cross-file-cases.ts';
import { elapse, useFakeClock } from '../../support/fake-clock.ts';
import { atCursor, cursorIn } from '../cursor.ts';
import { FakeWindow, uriOf, type WindowOptions } from '../editor-window.ts';

useFakeClock();

const reach = { before: 4800, after: 1600 };
const store = `export class UserStore {\n  insertUser(user) {}\n}\n`;
const main = `import { UserStore } from './user-store';\nconst store = new UserStore();\nstore.$0\n`;

/** The code that is found for a cursor in main.ts, as one text. */
async function gather(options: Partial<WindowOptions>, marked = main): Promise<string> {
  const { text } = cursorIn(marked);
  const window = new FakeWindow({ ...options, files: { 'main.ts': text, ...options.files } });
  const document = atCursor(marked, 'typescript', uriOf('main.ts'));
  const snippets = await new RelatedCode(window).gather(document, reach);
  return snippets.map((snippet) => snippet.text).join('\n');
}

test('code from an open document with the same names is found', async () => {
  expect(await gather({ files: { 'user-store.ts': store } })).toContain('insertUser');
});

test('code without a name in common is not found', async () => {
  expect(await gather({ files: { 'other.ts': 'export const pi = 3;\n' } })).toBe('');
});

test('a definition in a file that is not open is found', async () => {
  const text = `${'// first\n'.repeat(40)}export function helper() {}\n`;
  const defined = [{ uri: uriOf('far.ts'), text, lines: [{ start: 40, end: 40 }] }];
  expect(await gather({ defined }, 'helper();\n$0')).toContain('export function helper');
});

test('asks the editor for the names near the cursor and the imported ones', async () => {
  const { text } = cursorIn(main);
  const window = new FakeWindow({ files: { 'main.ts': text } });
  await new RelatedCode(window).gather(atCursor(main, 'typescript', uriOf('main.ts')), reach);
  const names = window.asked[0]?.positions.map(({ line, character }) =>
    /^\w+/.exec(text.split('\n')[line]?.slice(character) ?? '')?.at(0),
  );
  expect(names).toContain('UserStore');
  expect(names?.length).toBeLessThanOrEqual(12);
});

test('leaves out code that the prompt contains anyway, but finds code far above in the same document', async () => {
  const above = `export function parseUserName() {}\n${'// filler line of text\n'.repeat(20)}`;
  const far = `${above}${'// another line of text, which says nothing\n'.repeat(200)}parseUserName($0)\n`;
  expect(await gather({}, far)).toContain('export function parseUserName');
  expect(await gather({ files: { 'copy.ts': main.replace('$0', '') } })).toBe('');
});

const secret = `const password = "hunter${'2!x'}";\n`;

test.each<[string, Partial<WindowOptions>]>([
  ['a file whose name says that it holds secrets', { files: { '.env.js': store } }],
  ['a file that contains a secret', { files: { 'user-store.ts': `${secret}${store}` } }],
  ['a file with a secret far from the names', { files: { 'user-store.ts': `${store}${'\n'.repeat(500)}${secret}` } }],
  [
    'a file with a secret in a line of 10,000 characters',
    { files: { 'user-store.ts': `${store}${'x;'.repeat(5000)}${secret}` } },
  ],
  ['a file too long to search', { files: { 'user-store.ts': `${store}${'\n'.repeat(250_000)}` } }],
  ['a file that the editor does not share', { files: { 'user-store.ts': store }, ignored: ['user-store.ts'] }],
  ['another workspace', { files: { 'file:///elsewhere/user-store.ts': store } }],
  ['a folder whose name begins like that of the workspace', { files: { 'file:///workshop/user-store.ts': store } }],
  ['a definition in another workspace', { defined: [definedIn('file:///elsewhere/user-store.ts', store)] }],
  [
    'a definition in a file whose path says that it holds secrets',
    { defined: [definedIn(uriOf('.ssh/user-store.ts'), store)] },
  ],
  ['a definition beside a secret', { defined: [definedIn(uriOf('user-store.ts'), `${store}${secret}`)] }],
])('nothing comes from %s', async (_, options) => {
  expect(await gather(options)).toBe('');
});

function definedIn(uri: string, text: string) {
  return { uri, text, lines: [{ start: 0, end: 3 }] };
}

test("nothing comes from a file with a password in the line below the password's name, even if a chunk ends between the two", async () => {
  const pair = `  - name: DB_PASSWORD\n    value: "hV7x9Qz2${'kLmP4rT8'}"\n`;
  for (let lines = 0; lines < 30; lines++) {
    const text = `${'  # filler of the file\n'.repeat(lines)}${pair}  store: UserStore\n`;
    expect(await gather({ files: { 'deploy.yaml': text } }), `after ${lines} lines`).toBe('');
  }
});

test('a document outside the workspace gets no code from the workspace', async () => {
  const window = new FakeWindow({ files: { 'user-store.ts': store, 'file:///loose.ts': main } });
  const document = atCursor(main, 'typescript', 'file:///loose.ts');
  expect(await new RelatedCode(window).gather(document, reach)).toEqual([]);
  expect(window.asked).toEqual([]);
});

test('a slow editor is waited for only briefly, and its answer is used the next time', async () => {
  const { text } = cursorIn(main);
  const window = new FakeWindow({ files: { 'main.ts': text, 'user-store.ts': store }, answerMs: 400 });
  const related = new RelatedCode(window);
  const document = atCursor(main, 'typescript', uriOf('main.ts'));
  const startedAt = performance.now();
  expect(await related.gather(document, reach)).toEqual([]);
  expect(performance.now() - startedAt).toBe(300);
  await elapse(100);
  expect(await related.gather(document, reach)).toHaveLength(1);
});

test('the editor is asked once for each line that the cursor reaches', async () => {
  const { text, offset } = cursorIn(main);
  const defined = [definedIn(uriOf('user-store.ts'), store)];
  const window = new FakeWindow({ files: { 'main.ts': text, 'user-store.ts': store }, defined });
  const related = new RelatedCode(window);
  const document = atCursor(main, 'typescript', uriOf('main.ts'));
  for (const at of [offset, offset - 1, offset, 0]) {
    expect(await related.gather({ ...document, offset: at }, reach)).toHaveLength(1);
  }
  expect(window.asked).toHaveLength(2);
});

test('an editor that fails shares nothing', async () => {
  const { text } = cursorIn(main);
  const window = new FakeWindow({ files: { 'main.ts': text, 'user-store.ts': store } });
  window.related = () => Promise.reject(new Error('gone'));
  const document = atCursor(main, 'typescript', uriOf('main.ts'));
  expect(await new RelatedCode(window).gather(document, reach)).toEqual([]);
});

test('recently edited code ranks above code that is only similar', async () => {
  const { text } = cursorIn('const total = sumOfOrders(orders);\n$0');
  const alike = (name: string) => `export function ${name}(orders) {\n  return orders.length;\n}\n`;
  const files = { 'main.ts': text, 'a.ts': alike('countOrders'), 'b.ts': alike('listOrders') };
  let nowMs = 1_000_000;
  const window = new FakeWindow({ files });
  const related = new RelatedCode(window, null, () => nowMs);
  const document = atCursor('const total = sumOfOrders(orders);\n$0', 'typescript', uriOf('main.ts'));
  await related.gather(document, reach);
  window.edit('b.ts', `${alike('listOrders')}export const newest = orders;\n`);
  nowMs += 1000;
  const [best] = await related.gather(document, reach);
  expect(best?.text).toContain('newest');
});

test('a reopened document is scanned again, even if its version is the same', async () => {
  const { text } = cursorIn(main);
  const windowWith = (method: string) =>
    new FakeWindow({ files: { 'main.ts': text, 'user-store.ts': store.replace('insertUser', method) } });
  let window = windowWith('insertUser');
  const related = new RelatedCode({
    openDocuments: () => window.openDocuments(),
    folders: () => window.folders(),
    related: (params) => window.related(params),
  });
  const gathered = async () =>
    (await related.gather(atCursor(main, 'typescript', uriOf('main.ts')), reach)).map((snippet) => snippet.text).join();
  expect(await gathered()).toContain('insertUser');
  window = windowWith('removeUser');
  expect(await gathered()).toContain('removeUser');
});

/**
 * The index of the snippet with the wanted name, while the files of all cases of the language are open; -1 if missing.
 */
async function placeOfWanted(each: CrossFileCase, all: CrossFileCase[]): Promise<number> {
  const languageOf = ({ name }: CrossFileCase) => name.replace(/-.*/, '');
  const others = all.filter((other) => other !== each && languageOf(other) === languageOf(each));
  const elsewhere = others.flatMap(({ name, files }) =>
    files.map((file) => ({ ...file, uri: `${workspaceUri}/${name}/${file.path}` })),
  );
  const related = new RelatedCode({
    openDocuments: () =>
      [...each.files, ...elsewhere].map(({ uri, languageId, text }) => OpenDocument.create(uri, languageId, 1, text)),
    folders: () => [{ uri: workspaceUri, name: 'workspace' }],
    related: ({ documents }) => Promise.resolve({ defined: [], shared: documents }),
  });
  const [wantedName = ''] = /\w+(?=\W*(self)?\W*$)/.exec(each.wanted) ?? [];
  const snippets = await related.gather(each.document, reach);
  return snippets.findIndex(({ path, text }) => text.includes(wantedName) && each.files.some((f) => f.path === path));
}

test('the file with the wanted name is found among all open files', async () => {
  const cases = readCrossFileCases(join(import.meta.dirname, '../../fixtures/cross-file'));
  expect(cases.length).toBeGreaterThanOrEqual(40);
  for (const { document } of cases) await loadGrammar(document.languageId);
  const places = await Promise.all(cases.map((each) => placeOfWanted(each, cases)));
  expect(places).not.toContain(-1);
  expect(places.filter((place) => place === 0).length).toBeGreaterThanOrEqual(35);
  expect(places.filter((place) => place < 3).length).toBeGreaterThanOrEqual(40);
});

test('a long document is scanned again only where it changed', () => {
  const functions = Array.from({ length: 2000 }, (_, i) => `function name${i}() {\n  return ${i};\n}\n`);
  const document = new ChunkedDocument();
  const chunksOf = (version: number) => {
    document.update(OpenDocument.create('file:///long.ts', 'typescript', version, functions.join('')), version);
    return document.chunks.map(({ chunk }) => chunk);
  };
  const before = new Set(chunksOf(1));
  expect(before.size).toBeGreaterThan(300);
  functions[1000] = 'function changed() {}\n\n// with one line more\n';
  const scanned = chunksOf(2).filter((chunk) => !before.has(chunk));
  expect(scanned.length).toBeGreaterThan(0);
  expect(scanned.length).toBeLessThan(5);
  expect(scanned.every(({ editedAtMs }) => editedAtMs === 2)).toBe(true);
});
