import { afterEach, expect, test } from 'vitest';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { ChunkedDocument, split } from '../../../language-server/related-code/chunks.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { forgetTree, wholeTreeOf } from '../../../language-server/syntax/trees.ts';

const uri = 'file:///a.py';
afterEach(() => forgetTree(uri));

const body = (lines: number) => Array.from({ length: lines }, (_, i) => `    a${i} = ${i}\n`).join('');
const text = `import a\nimport b\nimport c\nimport d\n\n\n# Long.\ndef long():\n${body(14)}\n\n${body(14)}\n\ndef short():\n    pass\n\n\ndef other():\n${body(9)}`;

async function firstLines(languageId: string, code: string): Promise<(string | undefined)[]> {
  const document = OpenDocument.create(uri, languageId, 1, code);
  await wholeTreeOf(document);
  const chunked = new ChunkedDocument();
  chunked.update(document, 0);
  const filled = (lines: string[]) => lines.filter((line) => line !== '');
  expect(filled(chunked.chunks.flatMap(({ chunk }) => chunk.text.split('\n')))).toEqual(filled(code.split('\n')));
  return chunked.chunks.map(({ chunk }) => chunk.text.trimStart().split('\n')[0]);
}

test('with a syntax tree, a chunk begins at a declaration with its comment, or within a declaration that is too long', async () => {
  expect(await firstLines('python', text)).toEqual(['import a', '# Long.', 'a10 = 10', 'a6 = 6', 'def other():']);
});

test('without a syntax tree, a chunk begins after a blank line or at a line without indentation', async () => {
  expect(await firstLines('plaintext', text)).toEqual(['import a', 'a0 = 0', 'def short():']);
});

test('the chunks above an edit stay the same', async () => {
  await loadGrammar('python');
  const document = OpenDocument.create(uri, 'python', 1, text);
  const chunked = new ChunkedDocument();
  await wholeTreeOf(document);
  chunked.update(document, 0);
  const before = chunked.chunks.map(({ chunk }) => chunk);
  const at = text.indexOf('pass');
  document.text = document.text.with(at, at + 4, 'return 1');
  await wholeTreeOf(document);
  expect(chunked.update(document, 5)).toBe(true);
  expect(chunked.chunks.map(({ chunk }) => before.indexOf(chunk))).toEqual([0, 1, 2, -1, 4]);
});

test('no chunk has more than 24 lines', () => {
  expect(split(body(100), new Map([[0, 100]])).map(({ lineCount }) => lineCount)).toEqual([24, 24, 24, 24, 5]);
});
