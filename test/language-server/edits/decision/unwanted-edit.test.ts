// Which edits are never offered, however likely they are.
import { expect, test } from 'vitest';
import { LongText } from '../../../../language-server/documents/long-text.ts';
import { breaksSyntax, whyUnwanted } from '../../../../language-server/edits/decision/unwanted-edit.ts';
import { loadGrammar } from '../../../../language-server/syntax/runtime.ts';
import { treeOf } from '../../../../language-server/syntax/trees.ts';

/** Why an edit that replaces the lines `old` with `now` is not offered. There are other lines above and below. */
function why(old: string, now: string, probability = 0.9) {
  const { edit, text } = among(old, now);
  return whyUnwanted(edit, text, probability);
}

function among(old: string, now: string) {
  const text = `before();\n${old}\nafter();\n`;
  const start = text.indexOf(old);
  return { text, edit: { start, end: start + old.length, text: now } };
}

test.each([
  ['a renamed word', 'log(sum);', 'log(total);', null],
  ['an added argument', 'log(sum);', 'log(sum, 2);', null],
  ['a renamed import', "import { sum } from '../a';", "import { total } from '../a';", null],
  ['a removed line', 'log(sum);', '', null],
  ['spaces', 'log(sum);', 'log( sum );', 'only-space'],
  ['an added import', '', "import { total } from '../a';", 'only-imports'],
  ['a name added to an import', "import { sum } from '../a';", "import { sum, total } from '../a';", 'only-imports'],
  ['a name removed from an import', "import { sum, a } from '../a';", "import { sum } from '../a';", 'only-imports'],
  ['a removed include', '#include <a.h>', '', 'only-imports'],
  ['four removed lines', 'a();\nb();\nc();\nd();', '', 'changes-too-much'],
  ['a different truth value', 'log(true);', 'log(false);', 'only-literals'],
  ['another number', 'wait(100, 2);', 'wait(200, 2);', 'only-literals'],
  ['a different number and name', 'wait(100);', 'sleep(200);', null],
  ['a number instead of a name', 'wait(ms);', 'wait(200);', null],
  ['a control token', 'log(sum);', 'log(<|endoftext|>);', 'special-token'],
] as const)('tells whether an edit may be offered, and why not: %s', (_, old, now, expected) => {
  expect(why(old, now)).toBe(expected);
});

test('a deletion must be likelier than other edits', () => {
  expect(why('log(sum);', '', 0.84)).toBe('edit-unsure');
  expect(why('log(sum, 2);', 'log(sum);', 0.84)).toBe('edit-unsure');
  expect(why('log(sum, 2);', 'log(sum);', 0.86)).toBe(null);
});

test.each([
  ['a lost bracket', 'log(sum);', 'log(sum;', true],
  ['a bracket in a string', 'log("a");', 'log("(");', false],
  ['a bracket that gets its partner', 'log(sum;', 'log(sum);', false],
  ['an operator without a value', 'log(sum + 1);', 'log(sum + );', true],
  ['a renamed word in a line that has a fault already', 'log(sum;', 'log(total;', false],
])('tells whether an edit adds faults to the document: %s', async (_, old, now, expected) => {
  await loadGrammar('typescript');
  const { edit, text } = among(old, now);
  const document = { uri: `case:${old}`, languageId: 'typescript', text: LongText.of(text) };
  await expect.poll(() => treeOf(document)?.isCurrent).toBe(true);
  expect(breaksSyntax(edit, document)).toBe(expected);
  expect(breaksSyntax(edit, { ...document, languageId: 'plaintext' })).toBe(false);
});
