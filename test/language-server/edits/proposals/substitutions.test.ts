import { expect, test } from 'vitest';
import { pastChanges } from '../../../../language-server/edits/history/past-changes.ts';
import { partsOf } from '../../../../language-server/edits/proposals/name-parts.ts';
import { substituted, substitutionsOf } from '../../../../language-server/edits/proposals/substitutions.ts';

const past = (before: string, after: string) => ({ path: 'a.ts', before, after });
const substitutionsIn = (...history: ReturnType<typeof past>[]) =>
  substitutionsOf(pastChanges(history)).filter((each) => !each.isPart);

test.each([
  ['a name', 'let total = 0;', 'let sum = 0;', { old: 'total', now: 'sum' }],
  ['a type after a name', 'x: Item', 'x: Item[]', { old: 'Item', now: 'Item[]' }],
  ['a number', 'wait(1000);', 'wait(2000);', { old: '1000', now: '2000' }],
  ['an operator, with the word before it', 'if (a == b)', 'if (a === b)', { old: 'a ==', now: 'a ===' }],
  ['an added word, with the word after it', 'x = load(y)', 'x = await load(y)', { old: 'load', now: 'await load' }],
  ['removed words', 'get(key) as string', 'get(key)', { old: ' as string', now: '' }],
  ['several words at once', 'let a = new Map();', 'let b = new Set();', { old: 'a = new Map', now: 'b = new Set' }],
])('finds a substitution: %s', (_, before, after, expected) => {
  expect(substitutionsIn(past(before, after))).toContainEqual(expect.objectContaining(expected));
});

test('a rewritten line gives no substitution', () => {
  expect(substitutionsIn(past('return first(a);', 'while (open.length > 0) visit(open.pop());'))).toEqual([]);
  expect(substitutionsIn(past('', 'let a = 1;'))).toEqual([]);
});

test('an undone change gives no substitution', () => {
  expect(substitutionsIn(past('a = one', 'a = two'), past('a = two', 'a = one'))).toMatchObject([
    { old: 'two', now: 'one' },
  ]);
});

test('a substitution has all changes that have made it, newest first', () => {
  const [both] = substitutionsIn(past('f(old)', 'f(now)'), past('g(old)', 'g(now)'));
  expect(both?.changes.map(({ age }) => age)).toEqual([0, 1]);
});

test('only whole words are replaced, and none that is a part of the new words', () => {
  const rename = { isPart: false, old: 'item', now: 'items' };
  expect(substituted('item.items = itemCount(item)', rename)).toBe('items.items = itemCount(items)');
  const grow = { isPart: false, old: 'List', now: 'List<T>' };
  expect(substituted('f(List<T>, List)', grow)).toBe('f(List<T>, List<T>)');
});

test.each([
  ['fooBar', ['foo', 'Bar']],
  ['HTTPServer2', ['HTTP', 'Server', '2']],
  ['a_long_NAME', ['a', 'long', 'NAME']],
  ['_', []],
])('the parts of %s', (name, parts) => {
  expect(partsOf(name)).toEqual(parts);
});

test('in an edit of several lines, each changed line is a change of its own', () => {
  const before = 'one(a);\ntwo(b);\nthree(c);';
  const after = 'one(a, x);\nnew();\nthree(c, x);';
  expect(pastChanges([past(before, after)]).map((each) => [each.before, each.after])).toEqual([
    [['one(a);'], ['one(a, x);']],
    [['two(b);'], ['new();']],
    [['three(c);'], ['three(c, x);']],
  ]);
});
