import { expect, test } from 'vitest';
// @ts-expect-error the program has no types
import { Document } from '../../../lab/bench/infill-client.mjs';
import { makeTrace } from '../../../lab/tools/make-trace.ts';
import { cursorAfter, textAfter } from '../../../lab/tools/trace.ts';

test('after each edit of a trace, the rival sees the same document and cursor, even if the editor closes brackets', () => {
  const text = 'begin\nif (f("a")) {\n  g([1]);\n}\nend\n';
  const trace = makeTrace('block.ts', text, { line: 2, lines: 3, intervalMs: 1, autoClose: true });
  const deletion = { line: 1, character: 3, insert: 'x', behind: 0, deleted: 2, atMs: 100 };
  const edits = [...trace.edits, deletion];
  expect(edits.some(({ behind }) => behind > 0)).toBe(true);
  const document = new Document(trace.text);
  for (const [i, edit] of edits.entries()) {
    expect(document.insert(edit)).toEqual(cursorAfter(edit));
    expect(document.lines.join('\n')).toBe(textAfter({ ...trace, edits }, i));
  }
});
