// Where an offered edit is after the user has typed.
import { expect, test } from 'vitest';
import { type Change, rebased } from '../../../extension/next-edit/rebase.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit.ts';

const at = (line: number, character: number) => ({ line, character });
const change = (from: [number, number], to: [number, number], text: string): Change => ({
  range: { start: at(...from), end: at(...to) },
  text,
});

/** In line 5: "log(sum);" becomes "log(total);". */
const edit: NextEdit = {
  ...{ uri: 'file:///a.ts', version: 7, oldText: 'log(sum);', newText: 'log(total);', probability: 0.9 },
  range: { start: at(5, 0), end: at(5, 9) },
  changes: [{ range: { start: at(5, 4), end: at(5, 7) }, text: 'total' }],
};

const after = (...changes: Change[]) => rebased(edit, changes, 8);

test('lines inserted and removed above move it; what is below does not', () => {
  expect(after(change([2, 0], [2, 0], 'a\nb\n'))?.range).toEqual({ start: at(7, 0), end: at(7, 9) });
  expect(after(change([2, 3], [4, 1], ''))?.changes[0]?.range.start).toEqual(at(3, 4));
  expect(after(change([5, 0], [5, 0], 'new\n'))?.range.start).toEqual(at(6, 0));
  expect(after(change([4, 0], [5, 0], ''))?.range.start).toEqual(at(4, 0));
  expect(after(change([8, 0], [9, 3], 'x'))).toEqual({ ...edit, version: 8 });
});

test('several changes of one event each count from where they were', () => {
  const changes = [change([8, 0], [8, 0], 'x\n'), change([2, 0], [2, 0], 'a\n'), change([1, 0], [1, 0], 'b\n')];
  expect(after(...changes)?.range.start).toEqual(at(7, 0));
  expect(after(...changes.reverse())?.range.start).toEqual(at(7, 0));
});

test('a change in its line contradicts it, also one that joins it with the line above', () => {
  expect(after(change([5, 0], [5, 3], 'print'))).toBe(null);
  expect(after(change([5, 9], [5, 9], ' // done'))).toBe(null);
  expect(after(change([4, 5], [5, 0], ''))).toBe(null);
  expect(after(change([5, 4], [5, 7], 'x'))).toBe(null);
  expect(after(change([5, 0], [5, 0], '  '))).toBe(null);
  expect(after(change([3, 0], [7, 0], ''))).toBe(null);
});

test('typing what it says shortens it, until nothing is left', () => {
  const started = after(change([5, 4], [5, 7], 'to'));
  expect(started).toMatchObject({
    oldText: 'log(to);',
    range: { start: at(5, 0), end: at(5, 8) },
    changes: [{ range: { start: at(5, 6), end: at(5, 6) }, text: 'tal' }],
  });
  if (!started) return;
  expect(rebased(started, [change([5, 6], [5, 6], 'ta')], 9)?.changes[0]?.text).toBe('l');
  expect(rebased(started, [change([5, 6], [5, 6], 'tal')], 9)).toBe(null);
  expect(rebased(started, [change([5, 6], [5, 6], 'x')], 9)).toBe(null);
});

test('the old word may be deleted first', () => {
  const deleted = after(change([5, 4], [5, 7], ''));
  expect(deleted?.oldText).toBe('log();');
  expect(deleted?.changes).toEqual([{ range: { start: at(5, 4), end: at(5, 4) }, text: 'total' }]);
});
