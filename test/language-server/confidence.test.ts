import { expect, test } from 'vitest';
import { gateFor, likelyBeginning, likelyLines } from '../../language-server/rules/confidence.ts';
import { fromTokens, probabilityTo, type Written, withPiece } from '../../language-server/rules/written.ts';
import { FakeEngine } from '../fixtures/fake-engine.ts';

const gate = { line: 0.1, piece: 0.5 };
const nothing: Written = { text: '', pieces: [], isEnded: false };

/** A text of pieces, each with its probability. */
function written(...pieces: [text: string, probability: number][]): Written {
  return pieces.reduce((all, [text, probability]) => withPiece(all, text, Math.log(probability)), nothing);
}

function shown(text: Written): string {
  const { length } = text.text;
  return text.text.slice(0, likelyLines(text, length, gate) || likelyBeginning(text, length, gate));
}

test('shows a whole line that is less likely than a piece has to be', () => {
  expect(shown(written(['return', 0.5], [' total', 0.4], [';', 1]))).toBe('return total;');
});

test('cuts an unlikely line before the piece that makes it so, at the end of a word', () => {
  expect(shown(written(['save', 1], ['(total', 0.9], ['Sum', 0.05], [');', 1]))).toBe('save');
  expect(shown(written(['save', 1], ['(total', 0.9], ['.sum', 0.05], [');', 1]))).toBe('save(total');
});

test('shows no keyword alone', () => {
  expect(shown(written(['return', 1], [' total', 0.05], [';', 1]))).toBe('');
});

test('shows nothing of a line that is unlikely from the beginning', () => {
  expect(shown(written(['return', 0.05], [' total;', 1]))).toBe('');
});

test('drops later lines from the first unlikely one on', () => {
  expect(shown(written(['a();', 0.9], ['\n', 1], ['b();', 0.5], ['\n', 1], ['c();', 0.05]))).toBe('a();\nb();');
});

test('counts a piece as soon as one of its characters is shown', () => {
  const text = written(['abc', 0.5], ['def', 0.5]);
  expect(probabilityTo(text, 3)).toBeCloseTo(0.5);
  expect(probabilityTo(text, 4)).toBeCloseTo(0.25);
});

test('finds the pieces of an answer behind its healed bytes, characters of several bytes whole', () => {
  const engine = new FakeEngine();
  const tokens = engine.tokenize('healäb');
  const logProbabilities = Float32Array.from(tokens, (_, i) => -i);
  const { pieces } = fromTokens(engine, { text: 'äb', tokens, logProbabilities }, 'heal'.length, true);
  expect(pieces.slice(0, 4).map(({ end }) => end)).toEqual([0, 0, 0, 0]);
  expect(pieces.at(-1)).toEqual({ end: 2, logProbability: -6 });
  expect(probabilityTo({ text: 'äb', pieces, isEnded: true }, 1)).toBeCloseTo(Math.exp(-15));
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
