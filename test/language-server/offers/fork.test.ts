import { expect, test } from 'vitest';
import { forkOf } from '../../../language-server/offers/fork.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const engine = new FakeEngine();
const prompt = { tokens: engine.tokenize('a = ') };

/** A text whose tokens are its bytes. The characters that are named have these probabilities, the others are certain. */
function written(text: string, probabilities: Record<string, number> = {}) {
  const tokens = engine.tokenize(text);
  const logProbabilities = Float32Array.from(tokens, (byte) => Math.log(probabilities[String.fromCharCode(byte)] ?? 1));
  return { text, tokens, logProbabilities };
}

test('the fork is before the least likely word', () => {
  const fork = forkOf(engine, prompt, written('sum(x, y)', { x: 0.5, y: 0.25 }), 'sum(x, y)');
  expect(fork).toMatchObject({ common: 7, text: 'sum(x, ', prompt: { tokens: engine.tokenize('a = sum(x, ') } });
  expect(Math.exp(fork!.logProbability)).toBeCloseTo(0.5);
});

test('the fork is in the part that is shown', () => {
  expect(forkOf(engine, prompt, written('sum(x); y', { x: 0.5, y: 0.25 }), 'sum(x);')).toMatchObject({ text: 'sum(' });
});

test.each([
  ['the first word is the least likely one', written('x + y', { x: 0.3, y: 0.5 })],
  ['every word is certain', written('x + y')],
  ['every word is nearly certain', written('x + y', { y: 0.995 })],
  ['only brackets and white space are unlikely', written('x (y) ', { '(': 0.3, ' ': 0.2 })],
])('there is no fork if %s', (_, text) => {
  expect(forkOf(engine, prompt, text, text.text)).toBeNull();
});

test('what is shown may have other white space, and closers that were not written', () => {
  const text = written('sum(x);\n} y', { x: 0.5, y: 0.25 });
  expect(forkOf(engine, prompt, text, '\n    sum(x);\n  }')).toMatchObject({ text: 'sum(' });
  expect(forkOf(engine, prompt, written('sum(x', { x: 0.5 }), '\n  sum(x);\n}')).toMatchObject({ text: 'sum(' });
});

test('the fork is not in what was typed before', () => {
  const healing = { tokens: engine.tokenize('a = '), heal: Buffer.from('nu') };
  expect(forkOf(engine, healing, { ...written('number', { u: 0.5 }), text: 'mber' }, 'mber')).toBeNull();
  const behind = forkOf(engine, healing, { ...written('number', { u: 0.2, m: 0.5 }), text: 'mber' }, 'mber');
  expect(behind).toMatchObject({ common: 2, text: '' });
});

test('the fork is not within a character', () => {
  const halves = [Buffer.from('é').subarray(0, 1), Buffer.concat([Buffer.from('é').subarray(1), Buffer.from('x')])];
  const model = Object.assign(new FakeEngine(), { tokenBytes: (token: number) => halves[token]! });
  const text = { text: 'éx', tokens: Uint32Array.of(0, 1), logProbabilities: Float32Array.of(0, Math.log(0.5)) };
  expect(forkOf(model, { tokens: new Uint32Array() }, text, 'éx')).toBeNull();
});

test('healed bytes are part of the tokens, not of the text', () => {
  const healing = { tokens: engine.tokenize('a = '), heal: Buffer.from('nu') };
  const fork = forkOf(engine, healing, { ...written('number(é, x)', { x: 0.5 }), text: 'mber(é, x)' }, 'mber(é, x)');
  expect(fork).toMatchObject({ text: 'mber(é, ', prompt: { tokens: engine.tokenize('a = number(é, ') } });
  expect(fork?.prompt.heal).toBeUndefined();
});
