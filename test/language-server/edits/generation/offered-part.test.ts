// The part of an edit around the cursor (▮) that may be offered.
import { expect, test } from 'vitest';
import { offeredPart } from '../../../../language-server/edits/generation/offered-part.ts';

/** An edit turns one text into the other. Returns the text after the offered part of it; null if none is offered. */
function offered(marked: string, now: string): string | null {
  const cursor = marked.indexOf('▮');
  const text = marked.replace('▮', '');
  const part = offeredPart({ start: 0, end: text.length, text: now }, { path: 'a.ts', text, cursor, history: [] });
  return part && text.slice(0, part.start) + part.text + text.slice(part.end);
}

test('an edit of other lines is offered as it is', () => {
  expect(offered('a();▮\nb(x);\nc(x);\n', 'a();\nb(y);\nc(y);\n')).toBe('a();\nb(y);\nc(y);\n');
  expect(offered('b(x);\n▮\n', 'b(y);\n\n')).toBe('b(y);\n\n');
});

test('text that is inserted at the cursor is offered without the changes of other lines', () => {
  expect(offered('a(▮\nb(x);\n', 'a(y);\nb(y);\n')).toBe('a(y);\nb(x);\n');
  expect(offered('log(sum▮\n', 'log(sum);\n')).toBe('log(sum);\n');
  expect(offered('a();▮\nc();\n', 'a();\nb();\nc();\n')).toBe('a();\nb();\nc();\n');
});

test('an edit that changes the line of the cursor in any other way is not offered', () => {
  expect(offered('a(x, ▮\n', 'a(y, z);\n')).toBeNull();
  expect(offered('a(▮)\nb(x);\n', 'a(y);\nb(y);\n')).toBeNull();
});

test('the rest of a word is not offered: suggestions complete words', () => {
  expect(offered('log(su▮);\n', 'log(sum);\n')).toBeNull();
});
