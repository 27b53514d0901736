import { expect, test } from 'vitest';
import { fittedText } from '../../../../lab/bench/next-edit/fit-trees.ts';
import { type FittedTrees, logOddsOf, treesOf } from '../../../../language-server/edits/evidence/trees.ts';

const fitted: FittedTrees = {
  bias: 0.5,
  trees: [
    {
      asked: ['votes', 'places', 'places', 'votes', 'votes', 'votes', 'votes'],
      above: [1, 3, 5, null, null, null, null],
      leaves: [1, 2, 3, 4, 5, 6, 7, 8],
    },
  ],
};

test('a tree asks for numbers by name, and the answer for a missing bound is no', () => {
  const trees = treesOf(fitted, ['places', 'votes']);
  expect(logOddsOf(trees, [0, 0])).toBe(1.5); // no, no
  expect(logOddsOf(trees, [4, 0])).toBe(3.5); // no, yes
  expect(logOddsOf(trees, [4, 2])).toBe(5.5); // yes, no
  expect(logOddsOf(trees, [6, 2])).toBe(7.5); // yes, yes
});

test('trees fitted to different numbers are refused', () => {
  expect(() => treesOf(fitted, ['places'])).toThrow('no number is named votes: fit the trees again');
});

test('trees that were written to a file are read back unchanged', () => {
  const names = ['votes', 'places'];
  expect(JSON.parse(fittedText(treesOf(fitted, names), names))).toEqual(fitted);
});
