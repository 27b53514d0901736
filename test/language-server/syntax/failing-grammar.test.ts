// A grammar that fails is dropped with a line in the log, and everything else keeps working.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Language, Parser, Tree } from 'web-tree-sitter';
import { LongText } from '../../../language-server/documents/long-text.ts';

const text = LongText.of('[1]');
const log = vi.fn();
let runtime: typeof import('../../../language-server/syntax/runtime.ts');
let trees: typeof import('../../../language-server/syntax/trees.ts');

// Loads its own modules, since other tests in this process need the grammars.
beforeEach(async () => {
  vi.resetModules();
  runtime = await import('../../../language-server/syntax/runtime.ts');
  trees = await import('../../../language-server/syntax/trees.ts');
  vi.spyOn(console, 'error').mockImplementation(log);
});
afterEach(() => {
  for (const uri of ['a', 'b']) trees.forgetTree(uri);
  vi.restoreAllMocks();
  vi.resetModules();
  log.mockReset();
});

function fail(message: string): never {
  throw new Error(message);
}

test('a grammar that fails while parsing is dropped', async () => {
  await Promise.all(['toml', 'json'].map(runtime.loadGrammar));
  const tree = trees.treeOf({ uri: 'a', languageId: 'toml', text })!;
  vi.spyOn(Parser.prototype, 'parse').mockImplementationOnce(() => fail('unreachable'));
  trees.treeOf({ uri: 'a', languageId: 'toml', text: LongText.of('[12]') });
  expect(trees.treeOf({ uri: 'a', languageId: 'toml', text })).toBeNull();
  expect(() => tree.root).toThrow('this tree has been deleted');
  expect(await runtime.loadGrammar('toml')).toBe(false);
  expect(trees.treeOf({ uri: 'b', languageId: 'json', text })?.root.hasError).toBe(false);
  expect(log.mock.calls.flat()).toEqual([
    'The grammar toml has failed and is not used until the next start: Error: unreachable',
  ]);
});

test('a grammar that fails while a tree is edited is dropped', async () => {
  await runtime.loadGrammar('css');
  trees.treeOf({ uri: 'a', languageId: 'css', text });
  vi.spyOn(Tree.prototype, 'edit').mockImplementationOnce(() => fail('out of bounds'));
  expect(trees.treeOf({ uri: 'a', languageId: 'css', text: LongText.of('[12]') })).toBeNull();
  expect(runtime.loadedGrammar('css')).toBeNull();
  expect(log).toHaveBeenCalledTimes(1);
});

test('a grammar that fails while loading is dropped', async () => {
  vi.spyOn(Language, 'load').mockImplementationOnce(() => Promise.reject(new Error('too old')));
  expect(await runtime.loadGrammar('r')).toBe(false);
  expect(runtime.loadedGrammar('r')).toBeNull();
  expect(trees.treeOf({ uri: 'a', languageId: 'r', text })).toBeNull();
  expect(await runtime.loadGrammar('r')).toBe(false);
  expect(log.mock.calls.flat()).toEqual([
    'The grammar r has failed and is not used until the next start: Error: too old',
  ]);
});
