import { expect, test } from 'vitest';
import { promptPlace } from '../../../language-server/prompt/document-path.ts';

const app = { uri: 'file:///code/app', name: 'app' };
const library = { uri: 'file:///code/lib', name: 'lib' };

function check(uri: string, languageId: string, folders: (typeof app)[], path: string, repository: string): void {
  expect(promptPlace(uri, languageId, folders)).toEqual({ path, repository });
}

test('a document is named by its path in the workspace', () => {
  check('file:///code/app/src/main.ts', 'typescript', [app], 'src/main.ts', 'app');
});

test("the path begins with the folder's name if there are several folders", () => {
  check('file:///code/lib/src/a.ts', 'typescript', [app, library], 'lib/src/a.ts', 'lib');
});

test('the innermost folder is used', () => {
  const inner = { uri: 'file:///code/app/packages/core', name: 'core' };
  check('file:///code/app/packages/core/a.ts', 'typescript', [app, inner], 'core/a.ts', 'core');
});

test('a folder does not contain the files of a folder whose name begins with the same letters', () => {
  check('file:///code/application/a.ts', 'typescript', [app], 'a.ts', '');
});

test('escaped spaces and drives are decoded', () => {
  const drive = { uri: 'file:///c%3A/My%20Code', name: 'My Code' };
  check('file:///c%3A/My%20Code/a%20b.ts', 'typescript', [drive], 'a b.ts', 'My Code');
});

test('a document outside the workspace is named by its file name alone', () => {
  check('file:///code/secret-project/notes.py', 'python', [app], 'notes.py', '');
});

test.each([
  ['typescript', 'untitled.ts'],
  ['python', 'untitled.py'],
  ['go', 'untitled.go'],
  ['rust', 'untitled.rs'],
  ['java', 'untitled.java'],
  ['c', 'untitled.c'],
  ['cpp', 'untitled.cpp'],
  ['csharp', 'untitled.cs'],
  ['javascript', 'untitled.js'],
  ['a-language-of-tomorrow', 'untitled'],
])('a %s document without a file is called %s', (languageId, name) => {
  check('untitled:Untitled-1', languageId, [app], name, '');
});

test('a new document with a chosen file name has that name', () => {
  check('untitled:/code/tools/run.py', 'python', [app], 'run.py', '');
});

test('a notebook cell is named as a file of its language', () => {
  check('vscode-notebook-cell:/code/app/data.ipynb#W2', 'python', [app], 'data.py', 'app');
});
