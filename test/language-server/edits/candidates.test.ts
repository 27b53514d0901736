import { expect, test } from 'vitest';
import { candidatesFor } from '../../../language-server/edits/candidates.ts';
import { substituted, substitutionsOf } from '../../../language-server/edits/substitutions.ts';
import type { PastEdit } from '../../../language-server/edits/text-edit.ts';

const past = (before: string, after: string): PastEdit => ({ path: 'a.ts', before, after });

test.each([
  ['a name', 'let total = 0;', 'let sum = 0;', { old: 'total', now: 'sum' }],
  ['a type behind a name', 'x: Item', 'x: Item[]', { old: 'Item', now: 'Item[]' }],
  ['a number', 'wait(1000);', 'wait(2000);', { old: '1000', now: '2000' }],
  ['an operator takes the word before it along', 'if (a == b)', 'if (a === b)', { old: 'a ==', now: 'a ===' }],
  ['words that went', 'get(key) as string', 'get(key)', { old: ' as string', now: '' }],
])('a substitution: %s', (_, before, after, expected) => {
  expect(substitutionsOf([past(before, after)])).toMatchObject([expected]);
});

test('lines that were written anew say nothing about others', () => {
  expect(substitutionsOf([past('return first(a);', 'while (open.length > 0) visit(open.pop());')])).toEqual([]);
  expect(substitutionsOf([past('', 'let a = 1;')])).toEqual([]);
});

test('what was taken back is no substitution', () => {
  expect(substitutionsOf([past('a = one', 'a = two'), past('a = two', 'a = one')])).toMatchObject([
    { old: 'two', now: 'one' },
  ]);
});

const once = { places: [], isNewest: true };

test('only whole words are replaced, and not what has been replaced already', () => {
  const rename = { ...once, old: 'item', now: 'items' };
  expect(substituted('item.items = itemCount(item)', rename)).toBe('items.items = itemCount(items)');
  const grow = { ...once, old: 'List', now: 'List<T>' };
  expect(substituted('f(List<T>, List)', grow)).toBe('f(List<T>, List<T>)');
});

test('the nearest line below the cursor comes first, then those above it', () => {
  const text = 'use(total);\nlet sum = 0;\nadd(total);\nend(total);\n';
  const cursor = text.indexOf(' = 0');
  const found = candidatesFor(text, cursor, [past('let total = 0;', 'let sum = 0;')]);
  expect(found.map((each) => each.text)).toEqual(['add(sum);', 'end(sum);', 'use(sum);']);
  expect(text.slice(found[0]?.start, found[0]?.end)).toBe('add(total);');
});

test('lines that read as removed ones did may go, too', () => {
  const text = 'a();\nb();\n  log();\nc();\n';
  expect(candidatesFor(text, 0, [past('  log();', '')])).toMatchObject([
    { start: 10, end: 19, text: '', evidence: { sameLines: true, times: 1, places: 1 } },
  ]);
});
