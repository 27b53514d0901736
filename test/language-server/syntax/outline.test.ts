import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { functionAround, outlineOf } from '../../../language-server/syntax/outline.ts';
import { wholeTreeOf } from '../../../language-server/syntax/trees.ts';

const tree = async (languageId: string, text: string) =>
  (await wholeTreeOf({ uri: 'file:///a', languageId, text: LongText.of(text) }))!;

const code = `import a from 'a';

// A shape.
// It is round.
class A {
  b = 1;

  f() {
    g();
    return 2;
  }
}

if (a) {
  g();
}
`;

test('finds where declarations begin, with the comment above each', async () => {
  expect([...outlineOf(await tree('typescript', code), 4)]).toEqual([
    [0, 1],
    [2, 10],
    [13, 3],
    [5, 1],
    [7, 4],
    [8, 1],
    [9, 1],
  ]);
});

test('does not descend into short declarations', async () => {
  expect([...outlineOf(await tree('typescript', code), 12)].map(([line]) => line)).toEqual([0, 2, 13]);
});

test('a comment belongs only to a declaration directly below', async () => {
  expect([...outlineOf(await tree('python', '# a\n\nb = 1\n# c\nd = 2\n'), 4)]).toEqual([
    [2, 1],
    [3, 2],
  ]);
});

test('finds the function around a place', async () => {
  const at = code.indexOf('return');
  const found = functionAround(await tree('typescript', code), at, at);
  expect(found?.text.split('\n')[0]).toBe('f() {');
  expect(functionAround(await tree('typescript', code), 3, 3)).toBeNull();
  expect(functionAround(await tree('json', '[1]'), 1, 1)).toBeNull();
});
