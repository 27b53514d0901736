// A grammar that fails is dropped, with a line in the log, and takes nothing else with it.

import { afterEach, expect, test, vi } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { loadedGrammar, loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { forgetTree, treeOf } from '../../../language-server/syntax/trees.ts';

const text = LongText.of('[1]');
afterEach(() => {
  vi.restoreAllMocks();
  for (const uri of ['a', 'b']) forgetTree(uri);
});

test('in the middle of a text', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  await Promise.all(['toml', 'json'].map(loadGrammar));
  const tree = treeOf({ uri: 'a', languageId: 'toml', text })!;
  vi.spyOn(Parser.prototype, 'parse').mockImplementationOnce(() => {
    throw new Error('unreachable');
  });
  treeOf({ uri: 'a', languageId: 'toml', text: LongText.of('[12]') });
  expect(treeOf({ uri: 'a', languageId: 'toml', text })).toBeNull();
  expect(() => tree.root).toThrow('this tree has been deleted');
  expect(await loadGrammar('toml')).toBe(false);
  expect(treeOf({ uri: 'b', languageId: 'json', text })?.root.hasError).toBe(false);
  expect(log.mock.calls.flat()).toEqual([
    'The grammar toml has failed and is not used until the next start: Error: unreachable',
  ]);
});

test('while it is loaded', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(Language, 'load').mockRejectedValueOnce(new Error('too old'));
  expect(await loadGrammar('r')).toBe(false);
  expect(loadedGrammar('r')).toBeNull();
  expect(treeOf({ uri: 'a', languageId: 'r', text })).toBeNull();
  expect(await loadGrammar('r')).toBe(false);
  expect(log.mock.calls.flat()).toEqual([expect.stringMatching(/^The grammar r has failed .*: Error: too old$/)]);
});
