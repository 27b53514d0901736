import { expect, test, vi } from 'vitest';
import type { TextEditor } from 'vscode';
import { pageTitle, selectionOf } from '../../../extension/explain/explain-source.ts';

const { workspace } = vi.hoisted(() => ({
  workspace: {
    notebookDocuments: [] as { getCells(): { index: number; document: unknown }[] }[],
    /** Like VS Code's function, returns the whole path of a file outside the folder /project. */
    asRelativePath: ({ scheme, fsPath }: { scheme: string; fsPath: string }) =>
      scheme === 'file' || scheme === 'vscode-notebook-cell' ? fsPath.replace(/^\/project\//, '') : fsPath,
  },
}));
vi.mock('vscode', async (original) => ({ ...(await original<object>()), workspace }));

/** An editor in which the text between two places is selected. */
function editor(uri: string, [startLine, endLine, endCharacter]: [number, number, number]): TextEditor {
  const [, scheme = '', path = '', added = ''] = /^([\w-]+):([^?#]*)(.*)$/.exec(uri) ?? [];
  const selection = { start: { line: startLine, character: 0 }, end: { line: endLine, character: endCharacter } };
  const document = {
    uri: {
      scheme,
      fsPath: path,
      toString: () => uri,
      with: (change: object) => {
        expect(change).toEqual({ query: '', fragment: '' });
        return { toString: () => uri.slice(0, uri.length - added.length) };
      },
    },
    languageId: 'python',
    getText: (range: unknown) => (range === selection ? 'a + b' : ''),
  };
  return { document, selection } as unknown as TextEditor;
}

test('a file is described by its path in the workspace and the lines', () => {
  const file = editor('file:/project/src/a.py', [9, 11, 4]);
  expect(pageTitle(file)).toBe('src/a.py, lines 10–12');
  expect(selectionOf(file)).toEqual({
    uri: 'file:/project/src/a.py',
    text: 'a + b',
    range: { start: { line: 9, character: 0 }, end: { line: 11, character: 4 } },
    languageId: 'python',
    firstLine: 10,
  });
});

test('a selection that ends at the start of a line does not include that line', () => {
  expect(pageTitle(editor('file:/project/a.py', [9, 10, 0]))).toBe('a.py, line 10');
});

test('a file outside the workspace or untitled is described by its name', () => {
  expect(pageTitle(editor('file:/elsewhere/a.py', [0, 0, 3]))).toBe('a.py, line 1');
  expect(pageTitle(editor('untitled:Untitled-1', [0, 0, 3]))).toBe('Untitled-1, line 1');
});

test('the old side of a diff is described by its name, with the URI of the file', () => {
  const side = editor('git:/project/.env?{"path":"/project/.env","ref":"~"}', [0, 0, 3]);
  expect(pageTitle(side)).toBe('.env, line 1');
  expect(selectionOf(side).uri).toBe('git:/project/.env');
});

test('a notebook cell is described by its number, with the URI of the notebook', () => {
  const cell = editor('vscode-notebook-cell:/project/nb.ipynb#W1', [0, 1, 3]);
  workspace.notebookDocuments = [{ getCells: () => [{ index: 2, document: cell.document }] }];
  expect(pageTitle(cell)).toBe('nb.ipynb, cell 3, lines 1–2');
  expect(selectionOf(cell).uri).toBe('vscode-notebook-cell:/project/nb.ipynb');
});
