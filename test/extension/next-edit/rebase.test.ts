// An offered edit after the user has typed.
import { expect, test } from 'vitest';
import { type Change, rebased } from '../../../extension/next-edit/rebase.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit-messages.ts';

const at = (line: number, character: number) => ({ line, character });
const change = (from: [number, number], to: [number, number], text: string): Change => ({
  range: { start: at(...from), end: at(...to) },
  text,
});

/** An edit of line 5 from "log(sum);" to "log(total);". */
const edit: NextEdit = {
  ...{ uri: 'file:///a.ts', version: 7, oldText: 'log(sum);', newText: 'log(total);', probability: 0.9 },
  range: { start: at(5, 0), end: at(5, 9) },
  changes: [{ range: { start: at(5, 4), end: at(5, 7) }, text: 'total' }],
};

const after = (...changes: Change[]) => rebased(edit, changes, 8);

test('lines that are inserted or removed above the edit move it, and lines below do not', () => {
  expect(after(change([2, 0], [2, 0], 'a\nb\n'))?.range).toEqual({ start: at(7, 0), end: at(7, 9) });
  expect(after(change([2, 3], [4, 1], ''))?.changes[0]?.range.start).toEqual(at(3, 4));
  expect(after(change([5, 0], [5, 0], 'new\n'))?.range.start).toEqual(at(6, 0));
  expect(after(change([4, 0], [5, 0], ''))?.range.start).toEqual(at(4, 0));
  expect(after(change([8, 0], [9, 3], 'x'))).toEqual({ ...edit, version: 8 });
});

test('the positions of several changes in one event refer to the document before the event', () => {
  const changes = [change([8, 0], [8, 0], 'x\n'), change([2, 0], [2, 0], 'a\n'), change([1, 0], [1, 0], 'b\n')];
  expect(after(...changes)?.range.start).toEqual(at(7, 0));
  expect(after(...changes.reverse())?.range.start).toEqual(at(7, 0));
});

test("a change in the edit's line contradicts the edit, even if it joins the line with the one above", () => {
  expect(after(change([5, 0], [5, 3], 'print'))).toBe(null);
  expect(after(change([5, 9], [5, 9], ' // done'))).toBe(null);
  expect(after(change([4, 5], [5, 0], ''))).toBe(null);
  expect(after(change([5, 4], [5, 7], 'x'))).toBe(null);
  expect(after(change([5, 0], [5, 0], '  '))).toBe(null);
  expect(after(change([3, 0], [7, 0], ''))).toBe(null);
});

test("typing the edit's text shortens the edit until nothing is left", () => {
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

test('the user may delete the old word first', () => {
  const deleted = after(change([5, 4], [5, 7], ''));
  expect(deleted?.oldText).toBe('log();');
  expect(deleted?.changes).toEqual([{ range: { start: at(5, 4), end: at(5, 4) }, text: 'total' }]);
});

/** An edit that inserts two lines above line 5. */
const added: NextEdit = {
  ...{ uri: edit.uri, version: 7, oldText: '', newText: 'open(b);\nread(b);\n', probability: 0.9 },
  range: { start: at(5, 0), end: at(5, 0) },
  changes: [{ range: { start: at(5, 0), end: at(5, 0) }, text: 'open(b);\nread(b);\n' }],
};

test('when only one line of the edit is typed or accepted, the other lines follow below', () => {
  const rest = {
    oldText: 'open(b);\n',
    range: { start: at(5, 0), end: at(6, 0) },
    changes: [{ range: { start: at(6, 0), end: at(6, 0) }, text: 'read(b);\n' }],
  };
  expect(rebased(added, [change([5, 0], [5, 0], 'open(b);\n')], 8)).toEqual({ ...added, ...rest, version: 8 });
  const typed = rebased(added, [change([5, 0], [5, 0], 'open(b);')], 8);
  expect(typed?.changes).toEqual([{ range: { start: at(5, 8), end: at(5, 8) }, text: '\nread(b);\n' }]);
  const broken = typed && rebased(typed, [change([5, 8], [5, 8], '\n')], 9);
  expect(broken).toEqual({ ...added, ...rest, version: 9 });
  const half = broken && rebased(broken, [change([6, 0], [6, 0], 'read')], 10);
  expect(half).toMatchObject({
    oldText: 'open(b);\nread',
    range: { start: at(5, 0), end: at(6, 4) },
    changes: [{ range: { start: at(6, 4), end: at(6, 4) }, text: '(b);\n' }],
  });
  expect(half && rebased(half, [change([6, 4], [6, 4], '(b);\n')], 11)).toBe(null);
  expect(rebased(added, [change([5, 0], [5, 0], added.newText)], 8)).toBe(null);
});

test('lines other than its own that are inserted at the place of the edit move the edit down', () => {
  const after = rebased(added, [change([5, 0], [5, 0], 'close(a);\n')], 8);
  expect(after?.changes).toEqual([{ range: { start: at(6, 0), end: at(6, 0) }, text: added.newText }]);
});

test('an inserted line can be typed, whatever line ends the document has', () => {
  const behind: NextEdit = {
    ...{ ...added, oldText: 'open(b);', newText: 'open(b);\nread(b);' },
    range: { start: at(5, 0), end: at(5, 8) },
    changes: [{ range: { start: at(5, 8), end: at(5, 8) }, text: '\nread(b);' }],
  };
  for (const lineEnd of ['\n', '\r\n']) {
    const left = rebased(behind, [change([5, 8], [5, 8], lineEnd)], 8);
    expect(left?.range).toEqual({ start: at(5, 0), end: at(6, 0) });
    expect(left?.changes).toEqual([{ range: { start: at(6, 0), end: at(6, 0) }, text: 'read(b);' }]);
  }
});

test('the user may delete the old lines of the edit one by one', () => {
  const removed: NextEdit = {
    ...{ ...added, oldText: 'open(b);\nread(b);\n', newText: '' },
    range: { start: at(5, 0), end: at(7, 0) },
    changes: [{ range: { start: at(5, 0), end: at(7, 0) }, text: '' }],
  };
  const left = rebased(removed, [change([5, 0], [6, 0], '')], 8);
  expect(left).toMatchObject({ oldText: 'read(b);\n', changes: [{ range: { start: at(5, 0), end: at(6, 0) } }] });
  expect(left && rebased(left, [change([5, 0], [6, 0], '')], 9)).toBe(null);
});

test('the other lines of a rename also move, and are dropped if the user changes one of them', () => {
  const otherChanges = [change([2, 0], [2, 3], 'total'), change([9, 4], [9, 7], 'total')];
  const others = (...changes: Change[]) =>
    rebased({ ...edit, otherChanges }, changes, 8)?.otherChanges?.map(({ range }) => range.start);
  expect(others(change([0, 0], [0, 0], 'a\n'))).toEqual([at(3, 0), at(10, 4)]);
  expect(others(change([7, 0], [8, 0], ''))).toEqual([at(2, 0), at(8, 4)]);
  expect(others(change([12, 0], [12, 0], 'x'))).toEqual([at(2, 0), at(9, 4)]);
  expect(rebased({ ...edit, otherChanges }, [change([9, 0], [9, 0], 'x')], 8)).toEqual({ ...edit, version: 8 });
  expect(rebased({ ...edit, otherChanges }, [change([5, 0], [5, 3], 'print')], 8)).toBe(null);
});
