import { expect, test } from 'vitest';
import { editSimilarity, scoreOf } from '../../language-server/cli/eval-score.ts';

function check(written: string, middle: string, exactMatch: number, firstLine: number): void {
  expect(scoreOf(written, middle)).toMatchObject({ cases: 1, exactMatch, firstLine });
}

test('white space at the end does not count', () => check('a + b;\n', 'a + b;', 1, 1));

test('a first line can be right when the rest is not', () => check('a();\nb();', 'a();\nc();', 0, 1));

test('leading white space counts', () => check(' a', 'a', 0, 0));

test('similarity is the share of characters that need no edit', () => {
  expect(editSimilarity('', '')).toBe(1);
  expect(editSimilarity('abcd', 'abcd')).toBe(1);
  expect(editSimilarity('abcd', 'abxd')).toBe(0.75);
  expect(editSimilarity('ab', 'abcd')).toBe(0.5);
  expect(editSimilarity('abc', 'xyz')).toBe(0);
});
