// Trees and thresholds are fitted to examples with a known rule, and follow that rule.
import { expect, test } from 'vitest';
import { shownAt } from '../../../../lab/bench/next-edit/examples.ts';
import { fitTrees } from '../../../../lab/bench/next-edit/fit-trees.ts';
import { logOddsOf } from '../../../../language-server/edits/evidence/trees.ts';
import { random } from '../../../support/random.ts';

const chance = random(1);
const numbers = Array.from({ length: 2000 }, () => [chance.below(10), chance.below(10), chance.below(1000)]);

test('trees find a rule about two numbers, and ignore a third', () => {
  const isRight = ([a = 0, b = 0]: number[]) => a > 6 && b <= 3;
  const examples = numbers.map((each) => ({ numbers: each, isRight: isRight(each), weight: 1 }));
  const trees = fitTrees(examples, { trees: 20, rate: 0.3 });
  for (const each of numbers) expect(logOddsOf(trees, each) > 0).toBe(isRight(each));
  const asked = new Set(trees.trees.slice(0, 3).flatMap((tree) => tree.asked));
  expect(asked).not.toContain(2);
});

test('fitting fails without examples, or if all examples are right', () => {
  const right = { numbers: [1], isRight: true, weight: 1 };
  for (const examples of [[], [right]])
    expect(() => fitTrees(examples, { trees: 1, rate: 0.3 })).toThrow('some that are wrong');
});

test('the threshold shows as many edits as the wanted precision allows', () => {
  const one = (quiet: boolean, isRight: boolean) => ({
    ...{ repository: '', quiet, candidates: [], numbers: [], isRight: [isRight] },
  });
  const cases = [...Array.from({ length: 12 }, () => one(false, true)), one(true, false), one(false, false)];
  const odds = cases.map((_, i) => [10 - i]);
  expect(shownAt(cases, odds, 1)).toMatchObject({ shown: 12 / 13, quiet: 1, precision: 1 });
  expect(shownAt(cases, odds, 0.9)).toMatchObject({ shown: 12 / 13, quiet: 0, precision: 12 / 13 });
});

test('if no question separates the examples, all fall on the same side of each', () => {
  const examples = numbers.map((_, i) => ({ numbers: [i], isRight: i % 2 === 0, weight: 1e-4 }));
  const { trees } = fitTrees(examples, { trees: 1, rate: 0.3 });
  const [{ above } = { above: [] }] = trees;
  expect(above).toHaveLength(7);
  for (const each of above) expect(each).toBeGreaterThan(numbers.length);
});
