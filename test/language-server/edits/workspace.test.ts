// The workspace as it would be after an edit.
import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import type { PastEdit } from '../../../language-server/edits/text/text-edit.ts';
import { after, type FoundEdit, type Workspace } from '../../../language-server/edits/workspace.ts';

const text = LongText.of('const a = 1;\nconst b = \nconst c = 3;\n');
const document = { uri: 'file:///a.ts', path: 'a.ts', languageId: 'typescript', text };
const workspace: Workspace = { documents: [document], cursor: 23, history: [] };

const past = (line: number, before: string, now: string): PastEdit => ({ path: 'a.ts', before, after: now, line });

function found(start: number, end: number, now: string): FoundEdit {
  const edit = { start, end, text: now };
  return { ...edit, document, oldText: text.slice(start, end), changes: [edit], otherLines: [], probability: 0.9 };
}

test.each<[string, FoundEdit, PastEdit]>([
  ['replaces a line', found(0, 12, 'let a = 1;'), past(0, 'const a = 1;', 'let a = 1;')],
  ['inserts text in the middle of a line', found(23, 23, '2;'), past(1, 'const b = ', 'const b = 2;')],
  ['inserts a line behind another', found(12, 12, '\nf(a);'), past(1, '', 'f(a);')],
])('an edit that %s is in the history in whole lines', (_, edit, expected) => {
  expect(after(workspace, edit).history).toEqual([expected]);
});
