// Syntax trees of documents: independent of how the text came about, made within the budget, and limited in number and
// size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Parser, Tree } from 'web-tree-sitter';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { faultsOf } from '../../../language-server/syntax/faults.ts';
import { grammarOf, languageIds } from '../../../language-server/syntax/grammars.ts';
import { loadedGrammar, loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { Parsing, type SyntaxTree } from '../../../language-server/syntax/syntax-tree.ts';
import { editBetween, pointAt } from '../../../language-server/syntax/text-input.ts';
import {
  forgetTree,
  keptTreeOf,
  maxChars,
  maxCharsOfAll,
  maxTrees,
  prepareTree,
  treeOf,
  wholeTreeOf,
} from '../../../language-server/syntax/trees.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { random } from '../../support/random.ts';
import { hostile, samples } from './samples.ts';

const uri = 'file:///a';
const own = readFileSync(join(import.meta.dirname, '../../../language-server/offers/provider.ts'), 'utf8');

beforeAll(async () => {
  for (const id of languageIds) expect(await loadGrammar(id), id).toBe(true);
});
afterEach(() => forgetTree(uri));

/** Parses the text without an earlier tree. */
function fresh(languageId: string, text: LongText): SyntaxTree {
  const parsing = new Parsing(loadedGrammar(languageId)!, text);
  const tree = parsing.step(60_000)!;
  parsing.end();
  return tree;
}

/** The tree as a string, with its errors. */
function shape(languageId: string, text: LongText): string {
  const tree = fresh(languageId, text);
  const string = tree.root.toString();
  tree.delete();
  return string;
}

function hasFaults(languageId: string, text: LongText): boolean {
  const tree = fresh(languageId, text);
  const has = tree.root.hasError;
  tree.delete();
  return has;
}

async function whole(languageId: string, text: LongText): Promise<SyntaxTree> {
  await vi.waitUntil(async () => (await wholeTreeOf({ uri, languageId, text })) !== null, {
    timeout: 100_000,
    interval: 1,
  });
  return treeOf({ uri, languageId, text })!;
}

// An idle machine needs at most 140 ms, of which the budget for a step and stopping it take 50.
const maxMs = 200;
const pieces = ['', 'x', ' ', '\n', '\r\n', '(', '}', '"', '\u{1f600}', '\ud83d', '\0', 'if ', 'end\n', '    ', '/*'];

describe.each(languageIds)('%s', (languageId) => {
  test('grammars.ts names only node types that the grammar has', () => {
    const { language } = loadedGrammar(languageId)!;
    const { lists, functions } = grammarOf(languageId)!;
    const types = [...lists, ...functions];
    expect(types.filter((type) => language.idForNodeType(type, true) === null)).toEqual([]);
  });

  // In a broken text, parts of the last tree may lead to a different repair, of which there are several.
  test('a tree updated by edits equals the tree of the new text', async () => {
    const { below, pick } = random(7);
    const sound = samples(languageId)
      .map((each) => LongText.of(each))
      .filter((each) => !hasFaults(languageId, each));
    expect(sound.length).toBeGreaterThan(0);
    for (const original of sound.slice(0, 8)) {
      let text = original;
      for (let count = 0; count < 4; count++) {
        const start = below(text.length);
        text = text.with(start, Math.min(text.length, start + below(6)), pick(pieces));
        const { root } = await whole(languageId, text);
        if (!hasFaults(languageId, text)) expect(root.toString()).toBe(shape(languageId, text));
      }
      expect((await whole(languageId, original)).root.toString()).toBe(shape(languageId, original));
    }
  });

  test('a tree with text inserted at the cursor equals the tree of the resulting text', async () => {
    const original = LongText.of(samples(languageId).find((each) => !hasFaults(languageId, LongText.of(each)))!);
    const text = original.with(5, 5, '\u{1f600} ');
    const base = await whole(languageId, text);
    const tree = base.withText(5, 8, '', 60_000)!;
    expect(tree.text.toString()).toBe(original.toString());
    expect(tree.root.toString()).toBe(shape(languageId, original));
    expect(base.root.endIndex).toBeGreaterThan(tree.root.endIndex);
    tree.delete();
  });

  // Each language gets a quarter of the texts; test/fuzz/ts/claims/trees.ts makes others.
  test('texts that nobody would write parse as quickly as others', async () => {
    const first = languageIds.indexOf(languageId);
    for (const [i, [name, part]] of Object.entries(hostile).entries()) {
      if ((i + first) % 4 !== 0) continue;
      const text = LongText.of(part);
      const look = (each: LongText) => {
        const tree = treeOf({ uri, languageId, text: each });
        if (tree) faultsOf(tree);
      };
      const anew = () => {
        forgetTree(uri);
        look(text);
      };
      expect(await cpuMs(anew, maxMs), name).toBeLessThan(maxMs);
      let keys = '';
      const afterKey = () => {
        keys += 'x';
        look(text.with(30_000, 30_000, keys));
      };
      expect(await cpuMs(afterKey, maxMs), `${name}, and a key`).toBeLessThan(maxMs);
    }
    expect(loadedGrammar(languageId)).not.toBeNull();
  });
});

test('rows are counted at line feeds, columns in UTF-16 units', () => {
  const text = LongText.of(`${'a\r\n'.repeat(9000)}\u{1f600}\rb`);
  expect(pointAt(text, 27_000)).toEqual({ row: 9000, column: 0 });
  expect(pointAt(text, 27_004)).toEqual({ row: 9000, column: 4 });
  expect(pointAt(text, 26_999)).toEqual({ row: 8999, column: 2 });
  expect(pointAt(text, 0)).toEqual({ row: 0, column: 0 });
});

test('the edit between two texts is the smallest possible, and splits no character', () => {
  const text = LongText.of('ab\u{1f600}cd'.repeat(10_000));
  expect(editBetween(text, LongText.of(text.toString()))).toBeNull();
  expect(editBetween(text, text.with(30_000, 30_001, 'xyz'))).toMatchObject({
    startIndex: 30_000,
    oldEndIndex: 30_001,
    newEndIndex: 30_003,
  });
  expect(editBetween(LongText.of('a\u{1f600}b'), LongText.of('a\u{1f601}b'))).toMatchObject({
    startIndex: 1,
    oldEndIndex: 3,
    newEndIndex: 3,
  });
  expect(editBetween(LongText.of('a\u{1f600}'), LongText.of('a\u{1fa00}'))).toMatchObject({ startIndex: 1 });
});

test('the text of a node can be read at any time', async () => {
  const text = LongText.of('let a = 1;\n');
  const tree = await whole('typescript', text);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(tree.root.text).toBe(text.toString());
});

test('parsing takes at most the budget at a time, and goes on in pauses', async () => {
  const text = LongText.of(own.repeat(30));
  const begin = () => {
    forgetTree(uri);
    expect(treeOf({ uri, languageId: 'typescript', text })).toBeNull();
  };
  expect(await cpuMs(begin, 60)).toBeLessThan(60);
  expect((await whole('typescript', text)).root.hasError).toBe(false);
});

test('without time to parse, the last tree is used, moved along with the text', async () => {
  const text = LongText.of(own.repeat(30));
  await whole('typescript', text);
  const changed = LongText.of(`const a = 1;\n${own.replaceAll('}', '} ').repeat(30)}`);
  const tree = treeOf({ uri, languageId: 'typescript', text: changed })!;
  expect(tree).toMatchObject({ isCurrent: false, text: changed });
  expect(tree.root.endIndex).toBe(changed.length);
  expect((await whole('typescript', changed)).root.firstNamedChild?.type).toBe('lexical_declaration');
});

test('parsing gives up on a text that takes too long, but parses the next one', async () => {
  const text = LongText.of(own.repeat(30));
  const clock = vi.spyOn(performance, 'now');
  let now = 0;
  clock.mockImplementation(() => (now += 3));
  // 4 seconds, in steps of 12 ms
  for (let step = 0; step < 334; step++) expect(treeOf({ uri, languageId: 'typescript', text })).toBeNull();
  const calls = clock.mock.calls.length;
  expect(treeOf({ uri, languageId: 'typescript', text })).toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(clock.mock.calls.length).toBe(calls);
  clock.mockRestore();
  expect((await whole('typescript', LongText.of(own))).isCurrent).toBe(true);
});

test('on a busy machine, the time that other processes have does not count', () => {
  const text = LongText.of(own.repeat(30));
  const clock = vi.spyOn(performance, 'now');
  let [now, calls] = [0, 0];
  clock.mockImplementation(() => (now += ++calls % 10 === 0 ? 3000 : 0.01));
  const isParsed = () => treeOf({ uri, languageId: 'typescript', text })?.isCurrent;
  for (let steps = 1; !isParsed(); steps++) expect(steps).toBeLessThan(1000);
  clock.mockRestore();
});

test('a document has no tree if it is closed, too long, or in a language without a grammar', async () => {
  const tree = await whole('json', LongText.of('[1]'));
  const part = treeOf({ uri: `${uri}#12`, languageId: 'json', text: LongText.of('[2]') });
  forgetTree(uri);
  for (const each of [tree, part]) expect(() => each?.root).toThrow('this tree has been deleted');
  const long = LongText.of('1 '.repeat(maxChars / 2 + 1));
  expect(treeOf({ uri, languageId: 'json', text: long })).toBeNull();
  expect(treeOf({ uri, languageId: 'yaml', text: LongText.of(`a\n${'- '.repeat(300)}`) })).toBeNull();
  expect(treeOf({ uri, languageId: 'plaintext', text: LongText.of('a') })).toBeNull();
  expect(treeOf({ uri, languageId: 'constructor', text: LongText.of('a') })).toBeNull();
});

test('the trees of the last 16 documents are kept', () => {
  const text = LongText.of('[1]');
  const trees = Array.from({ length: maxTrees + 1 }, (_, i) => treeOf({ uri: `${i}`, languageId: 'json', text }));
  expect(() => trees[0]?.root).toThrow('this tree has been deleted');
  expect(keptTreeOf({ uri: '0', languageId: 'json', text })).toBeNull();
  expect(keptTreeOf({ uri: '1', languageId: 'json', text })).toBe(trees[1]);
  for (const tree of trees.slice(1)) expect(tree?.root.type).toBe('document');
  for (const i of trees.keys()) forgetTree(`${i}`);
});

test('the trees of long documents are kept only up to a total length', async () => {
  const text = LongText.of('[1]\n'.repeat(maxChars / 4));
  const uris = Array.from({ length: maxCharsOfAll / maxChars + 1 }, (_, i) => `file:///${i}`);
  for (const each of uris) treeOf({ uri: each, languageId: 'json', text });
  expect(uris.map((each) => keptTreeOf({ uri: each, languageId: 'json', text: LongText.of('1') }) !== null)).toEqual(
    uris.map((_, i) => i > 0),
  );
  for (const each of uris) forgetTree(each);
});

test('the memory of trees and parsers is freed after edits, after suggestions and on closing', async () => {
  const [parse, copy, freed] = [
    vi.spyOn(Parser.prototype, 'parse'),
    vi.spyOn(Tree.prototype, 'copy'),
    vi.spyOn(Tree.prototype, 'delete'),
  ];
  const [begun, ended] = [vi.spyOn(Parser.prototype, 'setLanguage'), vi.spyOn(Parser.prototype, 'delete')];
  const parsed = () => parse.mock.results.filter(({ value }) => value !== null).length;
  const trees = () => parsed() + copy.mock.calls.length - freed.mock.calls.length;
  let text = LongText.of(own);
  for (let count = 0; count < 200; count++) {
    text = text.with(count * 20, count * 20, 'x');
    const base = treeOf({ uri, languageId: 'typescript', text });
    base?.withText(5, 5, 'y')?.delete();
    // The last complete tree, and while the next one is made, the moved one.
    expect(trees()).toBeLessThan(4);
    expect(begun.mock.calls.length - ended.mock.calls.length).toBeLessThan(2);
  }
  forgetTree(uri);
  expect([trees(), begun.mock.calls.length - ended.mock.calls.length]).toEqual([0, 0]);
  vi.restoreAllMocks();
});

test('a document whose language changes gets a tree of the new language', async () => {
  const text = LongText.of('[1]');
  expect(treeOf({ uri, languageId: 'json', text })?.grammar.name).toBe('json');
  expect(treeOf({ uri, languageId: 'python', text })?.grammar.name).toBe('python');
  expect(treeOf({ uri, languageId: 'plaintext', text })).toBeNull();
});

test('a caller that can wait gets the complete tree, unless there is none', async () => {
  const text = LongText.of(own.repeat(3));
  expect((await wholeTreeOf({ uri, languageId: 'typescript', text }))?.isCurrent).toBe(true);
  expect(await wholeTreeOf({ uri, languageId: 'plaintext', text })).toBeNull();
  expect(await wholeTreeOf({ uri, languageId: 'yaml', text: LongText.of('- '.repeat(300)) })).toBeNull();
});

test('a document is parsed before its tree is needed', async () => {
  await prepareTree({ uri, languageId: 'json', text: LongText.of('[1]') });
  await prepareTree({ uri: 'file:///b', languageId: 'plaintext', text: LongText.of('[1]') });
  expect(treeOf({ uri, languageId: 'json', text: LongText.of('[1]') })?.isCurrent).toBe(true);
});
