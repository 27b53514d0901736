import { expect, test } from 'vitest';
import type { Range } from 'vscode-languageserver';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { functionOf } from '../../../language-server/explain/around-selection.ts';

/** The text found around the selection, which is between two marks "|". */
function around(languageId: string, marked: string): Promise<string | null> {
  const [before = '', selected = '', after = ''] = marked.split('|');
  const document = OpenDocument.create('file:///a', languageId, 1, before + selected + after);
  const range: Range = {
    start: document.positionAt(before.length),
    end: document.positionAt(before.length + selected.length),
  };
  return functionOf(document, selected, range);
}

const f = 'def f(a):\n    for x in a:\n        |g(x)\n|    return a\n';

test('finds the innermost function around the selection', async () => {
  expect(await around('python', `import a\n\n${f}\ndef g(x):\n    pass\n`)).toBe(f.replaceAll('|', '').trimEnd());
  expect(await around('typescript', 'class A {\n  f() {\n    return |1|;\n  }\n}\n')).toBe(
    '  f() {\n    return 1;\n  }',
  );
});

test('finds nothing if there is no function or the whole function is selected', async () => {
  expect(await around('python', 'a = |b|\n')).toBeNull();
  expect(await around('python', '|def f(a):\n    return a\n|')).toBeNull();
  expect(await around('plaintext', 'a |b|')).toBeNull();
});

test('finds nothing if the document has changed', async () => {
  const document = OpenDocument.create('file:///a', 'python', 1, 'def f(a):\n    return b\n');
  const range: Range = { start: { line: 1, character: 11 }, end: { line: 1, character: 12 } };
  expect(await functionOf(document, 'a', range)).toBeNull();
  expect(await functionOf(document, 'b', range)).toBe('def f(a):\n    return b');
});
