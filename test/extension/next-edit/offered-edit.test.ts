// The effect of Tab, and the events that end an offer.
import { beforeEach, expect, test } from 'vitest';
import { EditOffer } from '../../../extension/next-edit/offered-edit.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit-messages.ts';

const uri = 'file:///a.ts';
const at = (line: number, character = 0) => ({ line, character });
const cursorAt = (line: number, of = uri) => ({ uri: of, line, character: 3 });
const typed = (line: number, text = 'x') => [{ range: { start: at(line), end: at(line) }, text }];

const edit: NextEdit = {
  ...{ uri, version: 7, oldText: 'log(sum);', newText: 'log(total);', probability: 0.9 },
  range: { start: at(20), end: at(20, 9) },
  changes: [{ range: { start: at(20, 4), end: at(20, 7) }, text: 'total' }],
};

let offer: EditOffer;
beforeEach(() => {
  offer = new EditOffer();
  offer.set(edit, cursorAt(2));
  offer.release();
});

test('Tab goes to a distant edit, and a second Tab applies it', () => {
  expect(offer.step(cursorAt(2), true)).toBe('go');
  offer.jumped();
  expect(offer.step(cursorAt(20), true)).toBe('apply');
  expect(offer.step(cursorAt(9), true), 'the cursor has left the edit').toBe('go');
});

test('Tab applies an edit within three lines at once, if it is in sight', () => {
  expect(offer.step(cursorAt(17), true)).toBe('apply');
  expect(offer.step(cursorAt(23), true)).toBe('apply');
  expect(offer.step(cursorAt(16), true)).toBe('go');
  expect(offer.step(cursorAt(18), false)).toBe('go');
  expect(offer.step(cursorAt(20, 'file:///b.ts'), false), 'the same line of another file').toBe('go');
});

test('after an edit was applied, Tab waits for the next one', () => {
  offer.applied();
  expect(offer.step(cursorAt(20), false)).toBe('wait');
  offer.set(null, cursorAt(20));
  expect(offer.step(cursorAt(20), false)).toBe('none');
});

test('while the user goes from edit to edit with Tab, no other suggestion comes until a key is typed', () => {
  expect(offer.isChained).toBe(false);
  offer.applied();
  expect(offer.isChained).toBe(true);
  offer.set(edit, cursorAt(2));
  expect(offer.isChained).toBe(true);
  offer.follow(uri, typed(40), 8);
  expect(offer.isChained).toBe(false);
  expect(offer.edit).not.toBe(null);
});

test('an edit is not shown while there is a suggestion at the cursor', () => {
  offer.withdraw();
  offer.set(edit, cursorAt(2));
  expect(offer.shown).toBe(null);
  expect(offer.step(cursorAt(2), true)).toBe('none');
  expect(offer.release()).toBe(true);
  expect(offer.release()).toBe(false);
  expect(offer.shown?.edit).toBe(edit);
});

test('typing elsewhere keeps the edit, and moves it if necessary', () => {
  offer.follow(uri, typed(10, 'new\n'), 8);
  expect(offer.edit?.range.start.line).toBe(21);
  offer.follow('file:///b.ts', typed(20), 3);
  expect(offer.edit?.version).toBe(8);
});

test('lines that are inserted behind the line that they follow from may be typed', () => {
  const end = at(2, 9);
  const text = '\n  log(a);\n  log(b);';
  const range = { start: end, end };
  offer.set({ ...edit, oldText: '', newText: text, range, changes: [{ range, text }] }, cursorAt(2));
  expect(offer.follow(uri, [{ range, text: '\n  log(a);' }], 8)).toBe(true);
  expect(offer.edit?.changes).toEqual([{ range: { start: at(3, 9), end: at(3, 9) }, text: '\n  log(b);' }]);
  offer.follow(uri, [{ range: { start: at(2), end: at(2, 1) }, text: '' }], 9);
  expect(offer.edit).toBe(null);
});

test('typing in the line that the edit follows from withdraws the edit, even if that line has moved', () => {
  offer.follow(uri, typed(0, 'new\n'), 8);
  offer.follow(uri, typed(2), 9);
  expect(offer.edit).not.toBe(null);
  offer.follow(uri, typed(3), 10);
  expect(offer.state.kind).toBe('none');
});

test('follow() tells whether a change types a part of the edit', () => {
  expect(offer.follow(uri, typed(10, 'new\n'), 8)).toBe(false);
  const change = { range: { start: at(21, 4), end: at(21, 7) }, text: 'to' };
  expect(offer.follow(uri, [change], 9)).toBe(true);
  expect(offer.edit?.changes[0]?.text).toBe('tal');
  expect(offer.follow(uri, [{ range: { start: at(21, 6), end: at(21, 6) }, text: 'tal' }], 10), 'the rest').toBe(false);
});

test("a change in the edit's own line withdraws it", () => {
  offer.follow(uri, typed(20), 8);
  expect(offer.state.kind).toBe('none');
});

test('the edit stays after two answers without an edit, and goes after the third', () => {
  offer.set(null, cursorAt(5));
  offer.set(null, cursorAt(6));
  expect(offer.shown?.edit).toBe(edit);
  offer.set(null, cursorAt(7));
  expect(offer.state.kind).toBe('none');
});

test('an answer with a different edit replaces the offered edit', () => {
  const newer = { ...edit, newText: 'log(sums);' };
  offer.set(newer, cursorAt(5));
  expect(offer.edit).toBe(newer);
});

test('an answer with the same edit does not offer it anew', () => {
  offer.jumped();
  offer.set({ ...edit, version: 8 }, cursorAt(5));
  expect(offer.release()).toBe(false);
  expect(offer.shown).toMatchObject({ kind: 'jumped', edit: { version: 8 } });
});
