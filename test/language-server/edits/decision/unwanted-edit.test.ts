// What is never offered, however likely.
import { expect, test } from 'vitest';
import { whyUnwanted } from '../../../../language-server/edits/decision/unwanted-edit.ts';

/** old and now: whole lines of a file that has others around them. */
function why(old: string, now: string, probability = 0.9, languageId = 'typescript') {
  const text = `before();\n${old}\nafter();\n`;
  const start = text.indexOf(old);
  return whyUnwanted({ start, end: start + old.length, text: now }, text, probability, languageId);
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
  ['four lines that go', 'a();\nb();\nc();\nd();', '', 'changes-too-much'],
  ['a lost bracket', 'log(sum);', 'log(sum;', 'breaks-brackets'],
  ['a bracket in a string', 'log("a");', 'log("(");', null],
  ['a bracket that gets its partner', 'log(sum;', 'log(sum);', null],
  ['a control token', 'log(sum);', 'log(<|endoftext|>);', 'special-token'],
] as const)('%s', (_, old, now, expected) => {
  expect(why(old, now)).toBe(expected);
});

test('a deletion must be likelier than other edits', () => {
  expect(why('log(sum);', '', 0.84)).toBe('edit-unsure');
  expect(why('log(sum, 2);', 'log(sum);', 0.84)).toBe('edit-unsure');
  expect(why('log(sum, 2);', 'log(sum);', 0.86)).toBe(null);
});
