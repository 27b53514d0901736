import { expect, test } from 'vitest';
import { gateFor, likelyLines } from '../../../language-server/rules/confidence.ts';
import { GeneratedText } from '../../../language-server/rules/generated-text.ts';
import { meaningfulEnd } from '../../../language-server/rules/whole.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const gate = { line: 0.1, beginning: 0.5 };

/** A text of tokens, each with its probability. */
function generated(...tokens: [text: string, probability: number][]): GeneratedText {
  const all = new GeneratedText(false);
  for (const [text, probability] of tokens) all.append(text, Math.log(probability));
  return all;
}

function shown(text: GeneratedText): string {
  const { length } = text.text;
  return text.text.slice(0, likelyLines(text, length, gate) || meaningfulEnd(text.text, text.likelyTo(gate.beginning)));
}

test('shows a whole line that is less likely than the beginning of one has to be', () => {
  expect(shown(generated(['return', 0.5], [' total', 0.4], [';', 1]))).toBe('return total;');
});

test('cuts an unlikely line before the piece that makes it so, at the end of a word', () => {
  expect(shown(generated(['save', 1], ['(total', 0.9], ['Sum', 0.05], [');', 1]))).toBe('save');
  expect(shown(generated(['save', 1], ['(total', 0.9], ['.sum', 0.05], [');', 1]))).toBe('save(total');
});

test('shows no keyword alone', () => {
  expect(shown(generated(['return', 1], [' total', 0.05], [';', 1]))).toBe('');
});

test('shows nothing of a line that is unlikely from the beginning', () => {
  expect(shown(generated(['return', 0.05], [' total;', 1]))).toBe('');
});

test('drops later lines from the first unlikely one on', () => {
  expect(shown(generated(['a();', 0.9], ['\n', 1], ['b();', 0.5], ['\n', 1], ['c();', 0.05]))).toBe('a();\nb();');
});

test('counts a token as soon as one of its characters is shown', () => {
  const text = generated(['abc', 0.5], ['def', 0.5]);
  expect(text.probabilityTo(0)).toBe(1);
  expect(text.probabilityTo(3)).toBeCloseTo(0.5);
  expect(text.probabilityTo(4)).toBeCloseTo(0.25);
});

test.each(['fake', 'Starter Coder 45M', 'Qwen2.5 Coder 1.5B Instruct GGUF'])(
  'a calmer gate asks more of %s',
  (name) => {
    const info = { ...new FakeEngine().info, name, quantization: 'Q6_K' };
    const [eager, balanced, calm] = (['eager', 'balanced', 'calm'] as const).map((each) => gateFor(info, each));
    expect(eager?.line).toBeLessThan(balanced?.line ?? 0);
    expect(balanced?.line).toBeLessThan(calm?.line ?? 0);
  },
);

test('a model that the gates were fitted to has its own, whatever its size or quantization', () => {
  const gate = (name: string, quantization: string) =>
    gateFor({ ...new FakeEngine().info, name, quantization }, 'balanced');
  const fitted = gate('Qwen2.5 Coder 1.5B Instruct GGUF', 'Q4_K_M');
  expect(gate('qwen2.5-coder-7b', 'Q8_0')).toEqual(fitted);
  expect(fitted.line).toBeGreaterThan(gate('Starter Coder 45M', 'Q6_K').line);
  expect(gate('Starter Coder 45M', 'Q4_0')).toEqual(gate('some other model', 'Q4_0'));
});
