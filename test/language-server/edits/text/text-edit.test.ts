import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyEdit,
  changesBetween,
  changesFromLineBreaks,
  changesOf,
  fromLineBefore,
  fromOwnLine,
} from '../../../../language-server/edits/text/text-edit.ts';

function replaced(before: string, after: string): [string, string][] {
  return changesBetween(before, after).map(({ start, end, text }) => [before.slice(start, end), text]);
}

test('only the words that differ are changes', () => {
  expect(replaced('const total = a + b;', 'const sum = a + b + c;')).toEqual([
    ['total', 'sum'],
    ['', ' + c'],
  ]);
  expect(replaced('f(a)\n', 'f(a)\n')).toEqual([]);
  expect(replaced('', 'a b')).toEqual([['', 'a b']]);
  expect(replaced('one\ntwo\n', 'two\n')).toEqual([['one\n', '']]);
});

test('the changes turn the old text into the new text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '(', 'ab', 'é')).map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = changesBetween(before, after);
      expect(changes.reduceRight(applyEdit, before)).toBe(after);
    }),
  );
});

test('if an edit rewrites a line, only the words that differ are changes', () => {
  const text = 'first\nlet a = 1;\n';
  expect(changesOf({ start: 6, end: 16, text: 'let b = 1;' }, text)).toEqual([{ start: 10, end: 11, text: 'b' }]);
});

test('inserted lines begin with their line break, so that they are drawn behind the line before', () => {
  const text = 'f(a, b) {\n  x = a;\n}\n';
  const edit = { start: 0, end: text.length, text: 'f(a, c, b) {\n  x = a;\n  y = c;\n}\n' };
  const changes = changesFromLineBreaks(edit, text);
  expect(changes.map(({ text: inserted }) => inserted)).toEqual(['c, ', '\n  y = c;']);
  const nested = { start: 0, end: text.length, text: text.replace('  x', '  y = c;\n  x') };
  expect(changesFromLineBreaks(nested, text)).toEqual([{ start: 9, end: 9, text: '\n  y = c;' }]);
  const end = text.indexOf('\n}');
  const above = { start: end + 1, end: end + 1, text: '  y = c;\n' };
  expect(fromLineBefore(above, text)).toEqual({ start: end, end, text: '\n  y = c;' });
});

const lines = fc.array(fc.constantFrom('a', 'b', ';', '\n', '\n', ' '), { maxLength: 14 }).map((each) => each.join(''));

test('where inserted lines begin does not change what the edits do', () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const changes = changesFromLineBreaks({ start: 0, end: old.length, text: now }, old);
      expect(changes.toReversed().reduce(applyEdit, old)).toBe(now);
    }),
  );
  fc.assert(
    fc.property(lines, fc.nat(14), lines, (text, at, inserted) => {
      const edit = { start: Math.min(at, text.length), end: Math.min(at, text.length), text: inserted };
      const before = fromLineBefore(edit, text);
      expect(applyEdit(text, before)).toBe(applyEdit(text, edit));
      if (before !== edit) expect(fromOwnLine(before, text)).toEqual(edit);
      expect(applyEdit(text, fromOwnLine(edit, text))).toBe(applyEdit(text, edit));
    }),
  );
});
