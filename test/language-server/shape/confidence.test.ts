import { beforeAll, expect, test } from 'vitest';
import { gateFor, levels, situationOf, situations, stricter } from '../../../language-server/shape/confidence.ts';
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { toGhostText } from '../../../language-server/shape/shape.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';
import { atCursor } from '../cursor.ts';

const gate = { line: 0.1, beginning: 0.5 };

/** A text made of tokens, each with its probability. */
function generated(...tokens: [text: string, probability: number][]): GeneratedText {
  const all = new GeneratedText(false);
  for (const [text, probability] of tokens) all.append(text, Math.log(probability));
  return all;
}

function shown(text: GeneratedText): string {
  text.isEnded = true;
  return toGhostText(text, placeAt(atCursor('$0'), 'always'), gate).suggestion?.text ?? '';
}

beforeAll(() => loadGrammar('typescript'));

test('a whole line may be less likely than the beginning of a line must be', () => {
  expect(shown(generated(['return', 0.5], [' total', 0.4], [';', 1]))).toBe('return total;');
});

test('cuts an unlikely line at the end of a word, before the unlikely part', () => {
  expect(shown(generated(['save', 1], ['(total', 0.9], ['Sum', 0.05], [');', 1]))).toBe('save');
  expect(shown(generated(['save', 1], ['(total)', 0.9], ['.sum', 0.05], [';', 1]))).toBe('save(total)');
});

test('does not show a lone keyword', () => {
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

const named = (name: string) => ({ ...new FakeEngine().info, name });

test.each(['fake', 'Starter Coder v2 83M', 'Qwen2.5 Coder 1.5B Instruct GGUF'])(
  'for %s, a stricter level never requires less, and sometimes more',
  (name) => {
    for (const [i, level] of levels.slice(1).entries()) {
      const before = situations.map((each) => gateFor(named(name), levels[i]!, each));
      const after = situations.map((each) => gateFor(named(name), level, each));
      expect(after.filter((gate, j) => gate.line < before[j]!.line)).toEqual([]);
      expect(after.some((gate, j) => gate.line > before[j]!.line)).toBe(true);
    }
  },
);

test('after a rejected suggestion the next stricter level applies, up to the last one', () => {
  expect(levels.map(stricter)).toEqual(['balanced', 'calm', 'strict', 'strict']);
});

test('a model that gates were fitted to has its own gates, whatever its size', () => {
  const gate = (name: string) => gateFor(named(name), 'balanced', 'word');
  expect(gate('qwen2.5-coder-7b')).toEqual(gate('Qwen2.5 Coder 1.5B Instruct GGUF'));
  expect(gate('Starter Coder v3 83M')).toEqual(gate('Starter Coder v2 83M'));
  expect(gate('Starter Coder v2 83M')).not.toEqual(gate('some other model'));
  expect(gate('Starter Coder 45M')).toEqual(gate('some other model'));
});

test.each(['const total$0', 'const größ$0', 'const длина$0', 'const a1$0'])(
  'the cursor is inside a word in %j',
  (marked) => {
    expect(situationOf(placeAt(atCursor(marked), 'auto'))).toBe('word');
  },
);
