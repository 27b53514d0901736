// The figures of `npm run test:real`, for rows of logits that can be worked out by hand.
import { expect, test } from 'vitest';
import { compareRows, explained, isExplained } from './compare.ts';

test('equal rows do not differ', () => {
  const rows = Float32Array.of(1, 2, 3, 3, 2, 1);
  const { maxDifference, meanDifference, nmse, divergence, sameArgmax, positions, spread } = compareRows(rows, rows, 3);
  expect({ maxDifference, meanDifference, nmse, sameArgmax, positions }).toEqual({
    ...{ maxDifference: 0, meanDifference: 0, nmse: 0, sameArgmax: 2, positions: 2 },
  });
  expect(divergence).toBeCloseTo(0, 6);
  expect(spread).toBeCloseTo(Math.sqrt(2 / 3), 6);
});

test("a difference is relative to the row's standard deviation", () => {
  const { maxDifference, meanDifference, nmse } = compareRows(
    Float32Array.of(-1, 0, 1),
    Float32Array.of(-1, 0.5, 1),
    3,
  );
  expect(maxDifference).toBe(0.5);
  expect(meanDifference).toBeCloseTo(0.5 / 3, 6);
  expect(nmse).toBeCloseTo(0.25 / 2, 6);
});

test('the divergence measures the second row against the first', () => {
  const { divergence } = compareRows(Float32Array.of(0, 0), Float32Array.of(0, Math.log(3)), 2);
  expect(divergence).toBeCloseTo(0.5 * Math.log(0.5 / 0.25) + 0.5 * Math.log(0.5 / 0.75), 5);
});

test('where the likeliest tokens differ, each engine has the margin of its own logits', () => {
  const { partings, sameArgmax } = compareRows(Float32Array.of(0, 5, 3), Float32Array.of(0, 3.5, 4), 3);
  expect(sameArgmax).toBe(0);
  expect(partings).toEqual([{ position: 0, a: 1, b: 2, marginOfA: 2, marginOfB: 0.5 }]);
});

test('a difference in tokens is explained only if both engines are nearly undecided', () => {
  const parting = { position: 0, a: 1, b: 2, marginOfA: 0.1, marginOfB: 0.2 };
  expect(isExplained(parting)).toBe(true);
  expect(isExplained({ ...parting, marginOfB: explained })).toBe(false);
  expect(isExplained({ ...parting, marginOfA: Number.NaN })).toBe(false);
});
