import { expect, test } from 'vitest';
import { LastCompletion } from '../../language-server/completion/last-completion.ts';
import { atCursor } from './cursor.ts';

/** Shows the ghost text in the first state, and asks for what remains of it in the second. */
function check(shownAt: string, ghostText: string, then: string, expected: string | null): void {
  const last = new LastCompletion();
  last.remember(atCursor(shownAt), ghostText);
  expect(last.remainder(atCursor(then))).toBe(expected);
}

test('shows the same ghost text again in the same place', () => {
  check('a = $0;', 'foo(1)', 'a = $0;', 'foo(1)');
});

test('answers from memory while the ghost text is typed', () => {
  check('a = $0\nb', 'foo(1)', 'a = fo$0\nb', 'o(1)');
});

test('follows a line break with its indentation', () => {
  check('if (a) {$0', '\n  b();\n}', 'if (a) {\n  $0', 'b();\n}');
});

test('forgets when something else is typed', () => {
  check('a = $0\nb', 'foo(1)', 'a = x$0\nb', null);
});

test('has nothing left when all is typed', () => {
  check('a = $0\nb', 'foo(1)', 'a = foo(1)$0\nb', null);
});

test('has nothing for a cursor before the place where it was shown', () => {
  check('a = $0', 'foo(1)', 'a$0 = ', null);
});

test('trims what an automatically closed bracket takes over', () => {
  check('print$0\n', '(a, b)', 'print($0)\n', 'a, b');
});

test('forgets when the text behind the cursor changes', () => {
  check('a = $0\nb', 'foo(1)', 'a = f$0\nc', null);
});

test('keeps the documents apart', () => {
  const last = new LastCompletion();
  last.remember(atCursor('a = $0', 'go', 'file:///one'), 'foo');
  expect(last.remainder(atCursor('a = f$0', 'go', 'file:///two'))).toBeNull();
  last.forget('file:///one');
  expect(last.remainder(atCursor('a = f$0', 'go', 'file:///one'))).toBeNull();
});
