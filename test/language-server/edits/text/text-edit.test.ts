import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdit, changesBetween, changesOf } from '../../../../language-server/edits/text/text-edit.ts';

function replaced(before: string, after: string): [string, string][] {
  return changesBetween(before, after).map(({ start, end, text }) => [before.slice(start, end), text]);
}

test('only the words that differ are changes', () => {
  expect(replaced('const total = a + b;', 'const sum = a + b + c;')).toEqual([
    ['total', 'sum'],
    ['', ' + c'],
  ]);
  expect(replaced('f(a)\n', 'f(a)\n')).toEqual([]);
  expect(replaced('', 'a b')).toEqual([['', 'a b']]);
  expect(replaced('one\ntwo\n', 'two\n')).toEqual([['one\n', '']]);
});

test('the changes turn the old text into the new text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '(', 'ab', 'é')).map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = changesBetween(before, after);
      expect(changes.reduceRight(applyEdit, before)).toBe(after);
    }),
  );
});

test('if an edit rewrites a line, only the words that differ are changes', () => {
  const text = 'first\nlet a = 1;\n';
  expect(changesOf({ start: 6, end: 16, text: 'let b = 1;' }, text)).toEqual([{ start: 10, end: 11, text: 'b' }]);
});
