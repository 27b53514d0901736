// Which edits undo the last one, and which only touch its lines.
import { expect, test } from 'vitest';
import { undoes } from '../../../../language-server/edits/history/reversal.ts';

const text = 'log(sum, 2);\nend(sum);\n';
const added = { path: 'a.ts', before: 'log(sum);', after: 'log(sum, 2);' };

function isUndone(old: string, now: string, history = [added]) {
  const start = text.indexOf(old);
  return undoes({ start, end: start + old.length, text: now }, text, history);
}

test.each([
  ['the whole line as it was', 'log(sum, 2);', 'log(sum);', true],
  ['only what was added', ', 2', '', true],
  ['other words of the line', 'log(sum, 2);', 'print(sum, 2);', false],
  ['words before what was added, by longer ones', 'log(sum, 2);', 'log(everything, 2);', false],
  ['the same change in another line', 'end(sum);', 'end(sum, 2);', false],
  ['nothing', 'log(sum, 2);', 'log(sum, 2);', false],
])('tells whether an edit takes back the last one: %s', (_, old, now, expected) => {
  expect(isUndone(old, now)).toBe(expected);
});

test('an edit that inserts a removed line again undoes the removal', () => {
  const removed = { path: 'a.ts', before: 'check(sum);', after: '' };
  expect(isUndone('end(sum);', 'check(sum);\nend(sum);', [removed])).toBe(true);
  expect(isUndone('end(sum);', 'check(all);\nend(sum);', [removed])).toBe(false);
});
