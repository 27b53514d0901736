import { expect, test } from 'vitest';
import type { LongText } from '../../../language-server/documents/long-text.ts';
import { lineStartAbove, surroundings, windowEnd, windowStart } from '../../../language-server/prompt/text-window.ts';
import { atCursor } from '../cursor.ts';

function check(marked: string, cut: (text: LongText, offset: number) => number, expected: string): void {
  const { text, offset } = atCursor(marked);
  const at = cut(text, offset);
  expect(text.slice(Math.min(at, offset), Math.max(at, offset))).toBe(expected);
}

test('a prefix window begins at a line start', () => {
  check('aaaa\nbbbb\ncc$0', (text, offset) => windowStart(text, offset, 9), 'bbbb\ncc');
});

test('a prefix window that ends on a line start keeps the whole line', () => {
  check('aaaa\nbbbb\ncc$0', (text, offset) => windowStart(text, offset, 7), 'bbbb\ncc');
});

test('a prefix window of a single long line is cut inside it', () => {
  check('abcdefgh$0', (text, offset) => windowStart(text, offset, 3), 'fgh');
});

test('a prefix window that ends below a long line is not empty', () => {
  check('abcdefgh\n$0', (text, offset) => windowStart(text, offset, 3), 'gh\n');
});

test('a suffix window ends at a line end', () => {
  check('$0aa\nbbbb\ncccc', (text, offset) => windowEnd(text, offset, 9), 'aa\nbbbb');
});

test('a window does not split a surrogate pair', () => {
  check('a🙂🙂$0', (text, offset) => windowStart(text, offset, 3), '🙂');
  check('$0🙂🙂a', (text, offset) => windowEnd(text, offset, 3), '🙂🙂');
});

test("the anchor line is counted up from the cursor's line", () => {
  const text = 'a\nb\nc\nd\n  e$0';
  check(text, (all, offset) => lineStartAbove(all, offset, 0, 100), '  e');
  check(text, (all, offset) => lineStartAbove(all, offset, 2, 100), 'c\nd\n  e');
  check(text, (all, offset) => lineStartAbove(all, offset, 9, 100), 'a\nb\nc\nd\n  e');
});

test('the anchor line is the highest one within reach', () => {
  check('aaaa\nbbbb\ncccc\ndd$0', (all, offset) => lineStartAbove(all, offset, 9, 12), 'bbbb\ncccc\ndd'.slice(5));
});

test('the anchor is inside a line that is longer than the reach', () => {
  check('abcdefghijklmnop$0', (all, offset) => lineStartAbove(all, offset, 9, 8), 'mnop');
});

test("the surroundings are the cursor's line and its nearest non-blank neighbours", () => {
  const { text, offset } = atCursor('four\nthree\ntwo\none\n\n  left$0right  \n\n  below  \n');
  expect(surroundings(text, offset)).toEqual({
    linePrefix: '  left',
    lineSuffix: 'right',
    linesAbove: ['one', 'two', 'three'],
    linesBelow: ['  below'],
  });
});
