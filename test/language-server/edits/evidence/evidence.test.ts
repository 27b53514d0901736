// The numbers of the evidence, by name. If the meaning of a number changed, the fitted trees would be wrong.
import { expect, test } from 'vitest';
import { evidenceNames, evidenceOf } from '../../../../language-server/edits/evidence/evidence.ts';
import { pastChanges } from '../../../../language-server/edits/history/past-changes.ts';
import { candidatesFor } from '../../../../language-server/edits/proposals/candidates.ts';
import { linesOf } from '../../../../language-server/edits/text/lines.ts';
import type { PastEdit } from '../../../../language-server/edits/text/text-edit.ts';

const rename = { path: 'a.ts', before: 'set(sum, 1);', after: 'set(total, 1);' };

/** The numbers of the candidate whose new line is this one. The cursor is at "$0". */
function evidenceFor(marked: string, line: string, history: PastEdit[] = [rename]) {
  const text = marked.replace('$0', '');
  const place = { path: 'a.ts', languageId: 'typescript', text, cursor: marked.indexOf('$0'), history };
  const [lines, changes] = [linesOf(text), pastChanges(history)];
  const candidates = candidatesFor(place, lines, changes);
  const numbers = evidenceOf(candidates, place, lines, changes)[candidates.findIndex((each) => each.text === line)];
  return Object.fromEntries(evidenceNames.map((name, i) => [name, numbers?.[i]]));
}

test('the numbers of a rename: its size, its distance, and the number of old names that are left', () => {
  const marked = 'set(total$0, 1);\nlog(1);\nlog(sum);\nend(sum);\n';
  expect(evidenceFor(marked, 'end(total);')).toMatchObject({
    ...{ times: 1, age: 0, oldest: 0, distance: 3, isBelow: 1, isPassed: 0 },
    ...{ goneChars: 3, comeChars: 5, removesLine: 0, changes: 1 },
    ...{ isRename: 1, isPart: 0, oldLeft: 2, nowThere: 1, isString: 0, isImport: 0, isComment: 0 },
    ...{ edits: 1, lastEditLines: 1, isInsideWord: 0, isJustTyped: 2, mayContinue: 0 },
  });
});

test('the numbers of a line between two edited ones', () => {
  const done = { path: 'a.ts', before: 'end(sum);', after: 'end(total);' };
  const marked = 'set(total$0, 1);\n  if (sum) f("b");\nend(total);\n';
  expect(evidenceFor(marked, '  if (total) f("b");', [done, rename])).toMatchObject({
    ...{ times: 2, age: 0, oldest: 1, distance: 1, isBelow: 1, isPassed: 1 },
    ...{ oldLeft: 1, nowThere: 2, isString: 1, edits: 2, isJustTyped: 1 },
  });
});

test.each([
  [
    'might become a longer word that the file has',
    'set(tot$0, 1);\nlog(sum);\nlog(totem);\n',
    { mayContinue: 1, isJustTyped: 2 },
  ],
  ['cannot become a longer one', 'set(tot$0, 1);\nlog(sum);\nlog(tot);\n', { mayContinue: 0, isJustTyped: 1 }],
  ['is inside another word', 'set(tot$0al, 1);\nlog(sum);\n', { isInsideWord: 1 }],
])('the numbers tell that the word at the cursor %s', (_, marked, expected) => {
  const typed = { ...rename, after: /.*/.exec(marked.replace('$0', ''))?.[0] ?? '' };
  const line = `log(${/\w+(?=,)/.exec(typed.after)?.[0]});`;
  expect(evidenceFor(marked, line, [typed])).toMatchObject(expected);
});
