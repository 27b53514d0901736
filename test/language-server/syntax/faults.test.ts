import { beforeAll, expect, test, vi } from 'vitest';
import { TreeCursor } from 'web-tree-sitter';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { faultsOf, isWorse } from '../../../language-server/syntax/faults.ts';
import { loadedGrammar, loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { Parsing, type SyntaxTree } from '../../../language-server/syntax/syntax-tree.ts';

beforeAll(async () => {
  for (const id of ['typescript', 'cpp']) await loadGrammar(id);
});

/** Parses without a time limit. */
function whole(languageId: string, text: string): SyntaxTree {
  const parsing = new Parsing(loadedGrammar(languageId)!, LongText.of(text));
  const tree = parsing.step(60_000)!;
  parsing.end();
  return tree;
}

const faults = (text: string) => faultsOf(whole('typescript', text));

test('finds missing nodes and misplaced ones', () => {
  expect(faults('f(1);\n')).toEqual([]);
  expect(faults('a = f(1;\n')).toEqual([{ start: 7, end: 7, missing: ')' }]);
  expect(faults('a = 1;\n) b;\n')).toEqual([{ start: 7, end: 8, missing: null }]);
  expect(faults('a = f(1;\nb = g(2;\n').map(({ missing }) => missing)).toEqual([')', ')']);
});

test('does not descend into sound parts of a text', () => {
  const tree = whole('typescript', `${'f([1, 2]);\n'.repeat(1000)}a = f(`);
  const descents = vi.spyOn(TreeCursor.prototype, 'gotoFirstChild');
  expect(faultsOf(tree)).toHaveLength(1);
  expect(descents.mock.calls.length).toBeLessThan(8);
  descents.mockRestore();
});

/** Whether the text has more faults with the marked part than without: "a[[ = 1]];". */
function worse(languageId: string, marked: string): boolean {
  const [before = '', inserted = '', after = ''] = marked.split(/\[\[|\]\]/);
  const base = whole(languageId, before + after);
  const tree = base.withText(before.length, before.length, inserted, 60_000)!;
  const isNow = isWorse(base, tree, { start: before.length, end: before.length + inserted.length });
  tree.delete();
  return isNow;
}

test('tells whether a text adds faults to the document, keeps their number, or mends some', () => {
  expect(worse('typescript', 'f([[1, 2]]);\n')).toBe(false);
  expect(worse('typescript', 'f([[1, (2]]);\n')).toBe(true);
  expect(worse('typescript', 'f(1[[);]]\ng(1);\n')).toBe(false);
  expect(worse('typescript', 'if (a {\n}\nf([[1]]);\n')).toBe(false);
});

test('with a lenient grammar, only nearby faults count', () => {
  const macros = 'FOREACH(i, n)\n  f(i)\nEND_FOREACH\n'.repeat(3);
  expect(worse('cpp', `${macros}void f() {\n  g([[1, 2]]);\n}\n`)).toBe(false);
  expect(worse('cpp', `${macros}void f() {\n  g([[(1]]);\n}\n`)).toBe(true);
});
