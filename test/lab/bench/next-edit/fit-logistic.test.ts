// Examples are labelled by known weights, and logistic regression finds these weights.
import { expect, test } from 'vitest';
import { fitLogistic } from '../../../../lab/bench/next-edit/fit-logistic.ts';
import { random } from '../../../support/random.ts';

test('the weights that label the examples are found', () => {
  const { below } = random(1);
  const uniform = () => below(1e6) / 1e6;
  const examples = Array.from({ length: 4000 }, () => {
    const [one, other] = [4 * uniform() - 2, 4 * uniform() - 2];
    const odds = 0.5 + 1.5 * one - other;
    return { numbers: [1, one, other], isRight: uniform() < 1 / (1 + Math.exp(-odds)), times: 1 };
  });
  const [constant, first, second] = fitLogistic(examples, 3);
  expect(Math.abs((constant ?? 0) - 0.5)).toBeLessThan(0.15);
  expect(Math.abs((first ?? 0) - 1.5)).toBeLessThan(0.15);
  expect(Math.abs((second ?? 0) + 1)).toBeLessThan(0.15);
});

test('without examples the weights are 0, and if all examples are right they are finite', () => {
  expect(fitLogistic([], 2)).toEqual([0, 0]);
  const certain = Array.from({ length: 10 }, (_, i) => ({ numbers: [1, i], isRight: true, times: 1 }));
  for (const weight of fitLogistic(certain, 2)) expect(Number.isFinite(weight)).toBe(true);
});

test('an example that counts three times is worth three examples', () => {
  const right = { numbers: [1, 1], isRight: true, times: 1 };
  const wrong = { numbers: [1, 0], isRight: false, times: 1 };
  const [often, repeated] = [
    [right, { ...wrong, times: 3 }],
    [right, wrong, wrong, wrong],
  ].map((examples) => fitLogistic(examples, 2));
  for (const [i, weight] of (often ?? []).entries()) expect(weight).toBeCloseTo(repeated?.[i] ?? NaN, 10);
});
