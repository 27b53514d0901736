import { expect, test } from 'vitest';
import { cleanText } from '../../../language-server/shape/generated-text.ts';

test.each([
  ['control characters', 'a\0b\x1b[31mc\x7f\x85', 'ab[31mc'],
  ['bidirectional overrides', 'if (admin\u202e) \u2066{\u2069', 'if (admin) {'],
  ['zero-width characters', 'a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg', 'abcdefg'],
  ['invisible fillers', 'a\u3164\u115f\uffa0b', 'ab'],
  ['tags and variation selectors', 'a\u{e0041}\ufe0f\u{e0100}b', 'ab'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'abc'],
  ['lone surrogates', 'a\ud83db\ude00c', 'abc'],
  ['carriage returns', 'a\r\nb\rc', 'a\nbc'],
])('%s are removed from generated text', (_, text, clean) => {
  expect(cleanText(text, '')).toBe(clean);
});

test('all other characters of generated text are kept', () => {
  const text = '\tnaïve(x) → "日本", שלום, 🙂 𝒳\u00a0\u3000\n';
  expect(cleanText(text, '')).toBe(text);
});

test('invisible characters are kept if the document has them, except line separators and half characters', () => {
  const around = 'نمی\u200cخواهم 👩\u200d💻 \r\n \ud83d';
  expect(cleanText('می\u200cروم\u200b 👩\u200d💻\r\ud83d', around)).toBe('می\u200cروم 👩\u200d💻');
});
