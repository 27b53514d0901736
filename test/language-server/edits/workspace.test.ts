// The workspace as it would be after an edit.
import { expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { after, type FoundEdit, type Workspace } from '../../../language-server/edits/workspace.ts';

const text = LongText.of('const a = 1;\nconst b = \nconst c = 3;\n');
const document = { uri: 'file:///a.ts', path: 'a.ts', languageId: 'typescript', text };
const workspace: Workspace = { documents: [document], cursor: 23, history: [] };

function found(start: number, end: number, now: string): FoundEdit {
  const edit = { start, end, text: now };
  return { ...edit, document, oldText: text.slice(start, end), changes: [edit], otherLines: [], probability: 0.9 };
}

test.each<[string, FoundEdit, string, string]>([
  ['replaces a line', found(0, 12, 'let a = 1;'), 'const a = 1;', 'let a = 1;'],
  ['inserts text in the middle of a line', found(23, 23, '2;'), 'const b = ', 'const b = 2;'],
  ['inserts a statement behind a line', found(12, 12, '\nf(a);'), 'const a = 1;', 'const a = 1;\nf(a);'],
])('an edit that %s is in the history in whole lines', (_, edit, before, now) => {
  const line = text.lineAt(edit.start);
  expect(after(workspace, edit).history).toEqual([{ path: 'a.ts', before, after: now, line }]);
});
