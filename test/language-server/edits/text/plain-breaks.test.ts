// Documents with Windows line ends, as those see them who look for edits.
import { expect, test } from 'vitest';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { PlainBreaks } from '../../../../language-server/edits/text/plain-breaks.ts';
import { applyEdit } from '../../../../language-server/edits/text/text-edit.ts';
import { random } from '../../../support/random.ts';

test('a document that has none is the same object', () => {
  const text = LongText.of('a\nb\n');
  expect(new PlainBreaks(text).text).toBe(text);
});

test('an edit up to the end of a line ends before its line end, and brings line ends of the document', () => {
  const plain = new PlainBreaks(LongText.of('a\r\nbc\r\n'));
  expect(plain.text.toString()).toBe('a\nbc\n');
  expect(plain.inDocument({ start: 2, end: 4, text: 'd\ne' })).toEqual({ start: 3, end: 5, text: 'd\r\ne' });
  expect(plain.inDocument({ start: 2, end: 5, text: '' })).toEqual({ start: 3, end: 7, text: '' });
  expect(plain.edit({ start: 3, end: 5, text: 'd\r\ne' })).toEqual({ start: 2, end: 4, text: 'd\ne' });
});

test('any edit makes of the document what it makes of the plain text', () => {
  const r = random(7);
  for (let i = 0; i < 500; i++) {
    const text = `\n${Array.from({ length: r.below(30) }, () => r.pick(['a', 'b', '\n', '\n'])).join('')}`;
    const [start = 0, end = 0] = [r.below(text.length + 1), r.below(text.length + 1)].sort((a, b) => a - b);
    const edit = { start, end, text: r.pick(['', 'x', 'x\n', '\n\n']) };
    const windows = text.replaceAll('\n', '\r\n');
    const plain = new PlainBreaks(LongText.of(windows));
    const there = plain.inDocument(edit);
    expect(applyEdit(windows, there)).toBe(applyEdit(text, edit).replaceAll('\n', '\r\n'));
    expect(plain.edit(there)).toEqual(edit);
  }
});
