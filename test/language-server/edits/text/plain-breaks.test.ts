// Documents with Windows line ends, as the search for edits sees them.
import { expect, test } from 'vitest';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { PlainBreaks } from '../../../../language-server/edits/text/plain-breaks.ts';
import { applyEdit } from '../../../../language-server/edits/text/text-edit.ts';
import { random } from '../../../support/random.ts';

test('a document without Windows line ends stays the same object', () => {
  const text = LongText.of('a\nb\n');
  expect(new PlainBreaks(text).text).toBe(text);
});

test("an edit up to the end of a line ends before the line end, and its text gets the document's line ends", () => {
  const plain = new PlainBreaks(LongText.of('a\r\nbc\r\n'));
  expect(plain.text.toString()).toBe('a\nbc\n');
  expect(plain.inDocument({ start: 2, end: 4, text: 'd\ne' })).toEqual({ start: 3, end: 5, text: 'd\r\ne' });
  expect(plain.inDocument({ start: 2, end: 5, text: '' })).toEqual({ start: 3, end: 7, text: '' });
  expect(plain.edit({ start: 3, end: 5, text: 'd\r\ne' })).toEqual({ start: 2, end: 4, text: 'd\ne' });
});

test('an edit has the same effect on the document as on the plain text', () => {
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
