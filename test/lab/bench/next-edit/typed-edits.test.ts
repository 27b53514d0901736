// Retyping a benchmark case's past edits reproduces the case's text.
import { expect, test } from 'vitest';
import type { NextEditCase } from '../../../../lab/bench/next-edit/next-edit-case.ts';
import { typedEdits } from '../../../../lab/bench/next-edit/typed-edits.ts';
import { textAfter } from '../../../../lab/tools/trace.ts';

const text = 'let sum = 0;\nadd(sum, 2);\n\nlog(sum);\nmore();\n';
const caseWith = (...history: NextEditCase['history']): NextEditCase => ({
  ...{ path: 'src/a.ts', languageId: 'typescript', text, cursor: 0, history, expected: [], quiet: false },
});
const past = (before: string, after: string, path = 'src/a.ts') => ({ path, before, after });

test('the past edits are undone and then retyped key by key', () => {
  const typed = typedEdits(
    caseWith(past('let total = 0;', 'let sum = 0;'), past('add(total);', 'add(sum, 2);'), past('', 'more();')),
  );
  expect(typed?.trace).toMatchObject({ name: 'a.ts', text: 'let total = 0;\nadd(total);\n\nlog(sum);\n\n' });
  expect(typed?.trace.edits.map(({ insert }) => insert).join('')).toBe('sumsum, 2more();');
  expect(typed?.trace.edits[0]).toEqual({ line: 0, character: 4, insert: 's', behind: 0, deleted: 5, atMs: 0 });
  expect(typed?.ends.map((at) => typed.trace.edits[at]?.insert)).toEqual(['m', '2', ';']);
  expect(typed && textAfter(typed.trace, typed.trace.edits.length - 1)).toBe(text);
});

test.each([
  ['in another file', past('a', 'let sum = 0;', 'src/b.ts')],
  ['whose new text occurs twice', past('total', 'sum')],
  ['whose new text is gone', past('sub(sum);', 'add(sum);')],
  ['that only deleted text', past('gone();', '')],
  ['that joined lines', past('add(\nsum, 2);', 'add(sum, 2);')],
])('no edit is retyped if the history has one %s', (_, edit) => {
  expect(typedEdits(caseWith(edit))).toBeUndefined();
});
