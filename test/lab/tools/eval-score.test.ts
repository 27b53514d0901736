import { expect, test } from 'vitest';
import { editSimilarity, figuresOf, insertable, scoreOf } from '../../../lab/tools/eval-score.ts';

function check(text: string, middle: string, exactMatch: number, firstLine: number): void {
  expect(scoreOf({ text, replaces: 0 }, { middle, suffix: '' })).toMatchObject({ exactMatch, firstLine });
}

test('trailing white space does not count', () => check('a + b;\n', 'a + b;', 1, 1));

test('the first line can be right when the rest is wrong', () => check('a();\nb();', 'a();\nc();', 0, 1));

test("an empty suggestion never scores for the first line, even if the cursor's line is complete", () =>
  check('', '\n  a();', 0, 0));

test('after the opener of a block, the first line is the one below it', () => {
  check('\n  a();\n  b();', '\n  a();\n  c();', 0, 1);
  check('\n  b();', '\n  a();', 0, 0);
  check('\n', '\n  a();', 0, 0);
});

test('leading white space counts', () => check(' a', 'a', 0, 0));

test('text after the cursor that the suggestion replaces counts as expected text', () => {
  const fimCase = { middle: 'a, b', suffix: ');\n' };
  const exact = { exactMatch: 1, charactersRight: 6, charactersWrong: 0 };
  expect(scoreOf({ text: 'a, b);', replaces: 2 }, fimCase)).toMatchObject(exact);
  expect(scoreOf({ text: 'a, b);', replaces: 0 }, fimCase)).toMatchObject({ exactMatch: 0, charactersWrong: 2 });
});

test('characters count as right up to the first that differs', () => {
  const score = (text: string) => scoreOf({ text, replaces: 0 }, { middle: 'return a;', suffix: '' });
  expect(score('return b;')).toMatchObject({ shown: 1, charactersRight: 7, charactersWrong: 2 });
  expect(score('')).toMatchObject({ shown: 0, charactersRight: 0, charactersWrong: 0 });
  const took = { ms: 2, tokens: 3 };
  expect(
    figuresOf([
      { ...score('return b;'), ...took },
      { ...score(''), ms: 4, tokens: 0 },
    ]),
  ).toMatchObject({
    cases: 2,
    exactMatch: 0,
    shown: 1,
    keystrokesSaved: 5,
    msP50: 4,
    tokensPerCase: 1.5,
  });
});

test('similarity is the share of characters that need no edit', () => {
  expect(editSimilarity('', '')).toBe(1);
  expect(editSimilarity('abcd', 'abcd')).toBe(1);
  expect(editSimilarity('abcd', 'abxd')).toBe(0.75);
  expect(editSimilarity('ab', 'abcd')).toBe(0.5);
  expect(editSimilarity('abc', 'xyz')).toBe(0);
});

test('an answer that repeats the text after the cursor is inserted without that part', () => {
  expect(insertable({ text: 'a, b);', replaces: 2 }, ');\n')).toEqual({ text: 'a, b', replaces: 0 });
  expect(insertable({ text: 'a, b', replaces: 0 }, ');\n')).toEqual({ text: 'a, b', replaces: 0 });
  expect(insertable({ text: 'a, b);', replaces: 1 }, ')\n')).toEqual({ text: 'a, b);', replaces: 1 });
});

test('of several texts, the best first line counts, and empty ones are no choice', () => {
  const [first, second, third] = ['c();', 'a();\nd();', ''].map((text) => ({ text, replaces: 0 }));
  const score = scoreOf(first!, { middle: 'a();\nb();', suffix: '' }, [first!, second!, third!]);
  expect(score).toMatchObject({ firstLine: 0, firstLineOfAny: 1, choices: 2 });
});
