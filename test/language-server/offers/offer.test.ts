import { expect, test } from 'vitest';
import { accepted, type Coverage, Offer } from '../../../language-server/offers/offer.ts';
import { noTimings } from '../../../language-server/protocol/messages.ts';
import type { Suggestion } from '../../../language-server/shape/shape.ts';
import { ended } from '../../fixtures/fake-engine.ts';
import { atCursor } from '../cursor.ts';

const suggest = (text: string, replaces = 0): Suggestion => ({ text, replaces, probability: 1 });

/** A finished offer with these suggestions. */
async function whole(shownAt: string, ...suggestions: Suggestion[]): Promise<Offer> {
  const result = { suggestions, reason: suggestions.length > 0 ? null : ('nothing-to-add' as const) };
  const offer = new Offer(atCursor(shownAt), ended({ ...result, finishReason: 'stop', timings: noTimings }));
  await offer.settled();
  return offer;
}

/** Makes an offer with this text for the first state of a document, and returns its coverage of the second state. */
async function check(shownAt: string, ghostText: string, then: string, expected: Coverage | string): Promise<void> {
  const coverage = (await whole(shownAt, suggest(ghostText))).covers(atCursor(then));
  expect(Array.isArray(coverage) ? coverage[0]?.text : coverage).toEqual(expected);
}

test('returns the same text for the same place', () => check('a = $0;', 'foo(1)', 'a = $0;', 'foo(1)'));

test('returns the rest while its text is typed', () => check('a = $0\nb', 'foo(1)', 'a = fo$0\nb', 'o(1)'));

test('follows a line break with its indentation', () =>
  check('if (a) {$0', '\n  b();\n}', 'if (a) {\n  $0', 'b();\n}'));

test('returns nothing when something else is typed', () => check('a = $0\nb', 'foo(1)', 'a = x$0\nb', 'none'));

test('returns nothing when the whole text was typed', () => check('a = $0\nb', 'foo(1)', 'a = foo(1)$0\nb', 'none'));

test('returns nothing for a cursor before its place', () => check('a = $0', 'foo(1)', 'a$0 = ', 'none'));

test('returns nothing when the text after the cursor has changed', () =>
  check('a = $0\nb', 'foo(1)', 'a = f$0\nc', 'none'));

test('returns nothing when the text to replace has changed, however far after the cursor', async () => {
  const line = (text: string) => `$0const data = "${'a'.repeat(1500)}${text}";\n`;
  const offer = await whole(line('X'), suggest('first();', line('X').length - 3));
  expect(offer.covers(atCursor(line('X')))).toHaveLength(1);
  expect(offer.covers(atCursor(line('Y')))).toBe('none');
});

test('replaces a bracket that the editor has inserted', async () => {
  const offer = await whole('print$0\n', suggest('(a, b)'));
  expect(offer.covers(atCursor('print($0)\n'))).toEqual([suggest('a, b)', 1)]);
});

test('keeps an inserted bracket that the text does not contain', async () => {
  const offer = await whole('print$0\n', suggest('(a,'));
  expect(offer.covers(atCursor('print($0)\n'))).toEqual([suggest('a,')]);
});

test('replaces one bracket fewer when one was typed over', async () => {
  const offer = await whole('f(g($0));\n', suggest('x)); done()', 3));
  expect(offer.covers(atCursor('f(g(x)$0);\n'))).toEqual([suggest('); done()', 2)]);
});

test("uses the document's line breaks", () => check('if (a) {$0\r\nb', '\n  c();', 'if (a) {\r\n  $0\r\nb', 'c();'));

test("uses the document's line breaks even if the compared text ends within one", () => {
  const above = `\r\n${'a'.repeat(996)}();`;
  const below = '\r\nb';
  return check(`${above}$0${below}`, '\nc();', `${above}\r\n$0${below}`, 'c();');
});

test('is empty at its own place if the model gave no text, and covers no other place', async () => {
  const offer = await whole('a = $0;\n');
  expect(offer.covers(atCursor('a = $0;\n'))).toBe('empty');
  expect(offer.covers(atCursor('a = b$0;\n'))).toBe('none');
});

test('is also empty if its text is blank', async () => {
  const offer = await whole('a = $0;\n', suggest(''));
  expect(offer.covers(atCursor('a = $0;\n'))).toBe('empty');
});

test('covers no place after a bracket that was typed over', async () => {
  const offer = await whole('f($0)\n');
  expect(offer.covers(atCursor('f()$0\n'))).toBe('none');
});

test('is pending while the typed text agrees with its own', async () => {
  let write = () => {};
  const more = new Promise<void>((resolve) => {
    write = resolve;
  });
  const offer = new Offer(atCursor('a = $0\n'), async (onGrowth, signal) => {
    await more;
    onGrowth(suggest('fo'));
    return new Promise<never>((_, reject) => signal.addEventListener('abort', reject));
  });
  expect(offer.covers(atCursor('a = f$0\n'))).toBe('pending');
  write();
  await offer.change;
  expect(offer.covers(atCursor('a = f$0\n'))).toEqual([suggest('o')]);
  expect(offer.covers(atCursor('a = foo$0\n'))).toBe('pending');
  expect(offer.covers(atCursor('a = fx$0\n'))).toBe('none');
  offer.abort();
  expect(offer.covers(atCursor('a = foo$0\n'))).toBe('none');
});

test('accepting a suggestion removes the text that it replaces', () => {
  const { text, offset } = accepted(atCursor('f($0) + 1'), suggest('x)', 1));
  expect([text.toString(), offset]).toEqual(['f(x) + 1', 4]);
});
