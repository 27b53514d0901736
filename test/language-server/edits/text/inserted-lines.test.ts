import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aboveNextLine, atLineBefore, shownChanges } from '../../../../language-server/edits/text/inserted-lines.ts';
import { applyEdit } from '../../../../language-server/edits/text/text-edit.ts';

test('inserted lines begin with their line break, so that they are drawn behind the line before', () => {
  const text = 'f(a, b) {\n  x = a;\n}\n';
  const edit = { start: 0, end: text.length, text: 'f(a, c, b) {\n  x = a;\n  y = c;\n}\n' };
  const changes = shownChanges(edit, text);
  expect(changes.map(({ text: inserted }) => inserted)).toEqual(['c, ', '\n  y = c;']);
  const nested = { start: 0, end: text.length, text: text.replace('  x', '  y = c;\n  x') };
  expect(shownChanges(nested, text)).toEqual([{ start: 9, end: 9, text: '\n  y = c;' }]);
  const end = text.indexOf('\n}');
  const above = { start: end + 1, end: end + 1, text: '  y = c;\n' };
  expect(atLineBefore(above, text)).toEqual({ start: end, end, text: '\n  y = c;' });
});

const lines = fc.array(fc.constantFrom('a', 'b', ';', '\n', '\n', ' '), { maxLength: 14 }).map((each) => each.join(''));

test('where inserted lines begin does not change what the edits do', () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const changes = shownChanges({ start: 0, end: old.length, text: now }, old);
      expect(changes.toReversed().reduce(applyEdit, old)).toBe(now);
    }),
  );
  fc.assert(
    fc.property(lines, fc.nat(14), lines, (text, at, inserted) => {
      const edit = { start: Math.min(at, text.length), end: Math.min(at, text.length), text: inserted };
      const before = atLineBefore(edit, text);
      expect(applyEdit(text, before)).toBe(applyEdit(text, edit));
      if (before !== edit) expect(aboveNextLine(before, text)).toEqual(edit);
      expect(applyEdit(text, aboveNextLine(edit, text))).toBe(applyEdit(text, edit));
    }),
  );
});
