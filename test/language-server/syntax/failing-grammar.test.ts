// A grammar that fails is dropped, with a line in the log, and takes nothing else with it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Language, Parser, Tree } from 'web-tree-sitter';
import { LongText } from '../../../language-server/documents/long-text.ts';

const text = LongText.of('[1]');
const log = vi.fn();
let runtime: typeof import('../../../language-server/syntax/runtime.ts');
let trees: typeof import('../../../language-server/syntax/trees.ts');

// Modules of its own, since other tests of this process need the grammars.
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

test('in the middle of a text', async () => {
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

test('while a tree is moved to another text', async () => {
  await runtime.loadGrammar('css');
  trees.treeOf({ uri: 'a', languageId: 'css', text });
  vi.spyOn(Tree.prototype, 'edit').mockImplementationOnce(() => fail('out of bounds'));
  expect(trees.treeOf({ uri: 'a', languageId: 'css', text: LongText.of('[12]') })).toBeNull();
  expect(runtime.loadedGrammar('css')).toBeNull();
  expect(log).toHaveBeenCalledTimes(1);
});

test('while it is loaded', async () => {
  vi.spyOn(Language, 'load').mockImplementationOnce(() => Promise.reject(new Error('too old')));
  expect(await runtime.loadGrammar('r')).toBe(false);
  expect(runtime.loadedGrammar('r')).toBeNull();
  expect(trees.treeOf({ uri: 'a', languageId: 'r', text })).toBeNull();
  expect(await runtime.loadGrammar('r')).toBe(false);
  expect(log.mock.calls.flat()).toEqual([
    'The grammar r has failed and is not used until the next start: Error: too old',
  ]);
});
