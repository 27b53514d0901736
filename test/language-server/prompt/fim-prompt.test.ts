import { expect, test } from 'vitest';
import { canFillInTheMiddle, fimHead } from '../../../language-server/prompt/fim-prompt.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const prefix = Uint32Array.of(1, 2);
const suffix = Uint32Array.of(3);
const preamble = Uint32Array.of(9);

function check(info: Partial<FakeEngine['info']>, expected: number[]): void {
  const engine = new FakeEngine();
  Object.assign(engine.info, info);
  expect(canFillInTheMiddle(engine)).toBe(true);
  expect([...fimHead(engine, prefix, suffix, preamble)]).toEqual(expected);
}

const { special } = new FakeEngine().info;
const { fimPrefix, fimSuffix, fimMiddle } = special;

test('the prefix comes first by default', () => {
  check({}, [9, fimPrefix, 1, 2, fimSuffix, 3, fimMiddle]);
});

test('the suffix comes first for a model trained that way, after an initial token', () => {
  check({ suffixFirst: true, bosToken: 5 }, [5, 9, fimSuffix, 3, fimPrefix, 1, 2, fimMiddle]);
});

test('the middle directly follows the prefix for a model without a token between them', () => {
  check({ suffixFirst: true, special: { ...special, fimMiddle: -1 } }, [9, fimSuffix, 3, fimPrefix, 1, 2]);
});
