// The edits that each finder proposes, and edits that no finder proposes.
import { describe, expect, test } from 'vitest';
import { pastChanges } from '../../../../language-server/edits/history/past-changes.ts';
import { candidatesFor } from '../../../../language-server/edits/proposals/candidates.ts';
import { linesOf } from '../../../../language-server/edits/text/lines.ts';
import { applyEdit, type PastEdit } from '../../../../language-server/edits/text/text-edit.ts';
import { cpuMs } from '../../../support/cpu-time.ts';

const past = (before: string, after: string, path = 'a.ts'): PastEdit => ({ path, before, after });

function candidates(text: string, cursor: number, ...history: PastEdit[]) {
  const place = { path: 'a.ts', text, cursor, history };
  return candidatesFor(place, linesOf(text), pastChanges(history));
}

/** The texts after each of the finder's candidates. */
function proposed(finder: string, text: string, cursor: number, ...history: PastEdit[]): string[] {
  const found = candidates(text, cursor, ...history).filter((each) => each.finder === finder);
  return found.map((edit) => applyEdit(text, edit));
}

test('the nearest line below the cursor comes first, then those above it', () => {
  const text = 'use(total);\nlet sum = 0;\nadd(total);\nlog();\nend(total);\n';
  const found = candidates(text, text.indexOf(' = 0'), past('let total = 0;', 'let sum = 0;'));
  expect(found.map((each) => each.text)).toEqual(['add(sum);', 'end(sum);', 'use(sum);']);
  expect(text.slice(found[0]?.start, found[0]?.end)).toBe('add(total);');
});

describe('substitution', () => {
  const rename = past('let foo = 1;', 'let bar = 1;');

  test('two adjacent lines give three edits: one for each, and one for both', () => {
    const text = 'let bar = 1;\nx();\na(foo);\nb(foo);\n';
    expect(proposed('substitution', text, 3, rename)).toEqual([
      'let bar = 1;\nx();\na(bar);\nb(bar);\n',
      'let bar = 1;\nx();\na(bar);\nb(foo);\n',
      'let bar = 1;\nx();\na(foo);\nb(bar);\n',
    ]);
  });

  test.each([
    ['getFoo()', 'getBar()'],
    ['FOO_MAX', 'BAR_MAX'],
    ['foo_id', 'bar_id'],
    ['fooCount', 'barCount'],
  ])('names composed of the same parts follow: %s', (old, now) => {
    expect(proposed('substitution', `let bar = 1;\nx();\nuse(${old});\n`, 3, rename)).toContain(
      `let bar = 1;\nx();\nuse(${now});\n`,
    );
    expect(proposed('substitution', 'let bar = 1;\nx();\nuse(food, buffoon);\n', 3, rename)).toEqual([]);
  });

  test('in a line with several matches, one candidate replaces only the matches with the same neighbours', () => {
    const text = "s.sendall(a);\nx();\ns.send('send');\n";
    expect(proposed('substitution', text, 3, past('s.send(a);', 's.sendall(a);'))).toContain(
      "s.sendall(a);\nx();\ns.sendall('send');\n",
    );
  });

  test('while the new word is half typed, other places get the word of the earlier replacement', () => {
    const text = 'a.toHaveBeen(1);\nb.to(2);\nx();\nc.toBe(3);\nto();\n';
    const history = [past('a.toBe(1);', 'a.toHaveBeen(1);'), past('b.toBe(2);', 'b.to(2);')];
    expect(proposed('substitution', text, text.indexOf('(2)'), ...history)).toEqual([
      text.replace('c.toBe', 'c.toHaveBeen'),
    ]);
  });
});

describe('analogy', () => {
  test('finds the same lines, whatever their indentation', () => {
    const text = 'f(a,\n  b);\n{\n    f(x,\n      y);\n}\n';
    expect(proposed('analogy', text, 0, past('  f(x,\n    y);', '  g(x);'))).toEqual([
      'f(a,\n  b);\n{\n    g(x);\n}\n',
    ]);
  });

  test('finds lines that differ only in words that the change keeps', () => {
    const text = 'log("one", context);\nx();\n  log("two");\n';
    expect(proposed('analogy', text, 3, past('log("one");', 'log("one", context);'))).toEqual([
      'log("one", context);\nx();\n  log("two", context);\n',
    ]);
  });

  test('finds no line in which the replaced word differs', () => {
    expect(proposed('analogy', 'a = "x";\nlog();\nb = "y";\n', 3, past('a = "w";', 'a = "x";'))).toEqual([]);
  });

  test('proposes to remove a line only if the whole line is the same', () => {
    const text = 'a();\nb();\n  log(1);\nlog(2);\nc();\n';
    expect(proposed('analogy', text, 0, past('log(1);', ''))).toEqual(['a();\nb();\nlog(2);\nc();\n']);
  });
});

test('several changes of one line are repeated in a line where all of them fit', () => {
  const text = "x();\nfail(createError('Too long: ' + size, options));\ncreateError(other);\n";
  const change = past(
    "fail(createError('No such file', options));",
    "fail(new Failure('No such file', 404, options));",
  );
  expect(proposed('context', text, 0, change)).toEqual([
    text.replace('createError(', 'new Failure(').replace('size, options', 'size, 404, options'),
  ]);
});

test('after the user has typed a word that occurs nowhere else, only repetitions of this edit are proposed', () => {
  const text = 'add(tota, 1);\nx();\nadd(sum, 2);\nx();\nuse(one);\n';
  const history = [past('use(one);', 'use(two);'), past('add(sum, 1);', 'add(tota, 1);')];
  const lines = (of: string) => candidates(of, of.indexOf(', 1'), ...history).map((each) => each.text);
  expect(lines(text)).toEqual(['add(tota, 2);']);
  expect(lines(`${text}log(tota);\n`)).toContain('use(two);');
  expect(lines(text.replace('one', 'one, total'))).toEqual(['add(tota, 2);']);
});

describe('no finder proposes', () => {
  test.each([
    ['an edit of white space only', '\tfoo();\nx();\n    foo();\n', past('    foo();', '\tfoo();')],
    ['a bracket without its partner', 'if (ok(a {\nx();\nif (b) {\n', past('if (a) {', 'if (ok(a {')],
    ['an edit at the cursor', 'a = two\n', past('a = one', 'a = two')],
    ['an edit without a history', 'let total = 0;\nadd(total);\n', past('', '')],
  ])('%s', (_, text, edit) => {
    expect(candidates(text, 0, edit)).toEqual([]);
  });

  test('to undo an edit', () => {
    const text = 'let sum = 0;\nadd(total);\nlog();\nend(total);\n';
    const back = past('add(all);', 'add(total);');
    const found = candidates(text, 0, back, past('use(total);', 'use(all);')).map((edit) => edit.text);
    expect(found).not.toContain('add(all);');
    expect(found).toContain('end(all);');
  });

  test('more than sixty edits in a long text, and the search is fast', async () => {
    const text = `sum;\n${'add(total);\nlog(total, total);\n'.repeat(3000)}`;
    const find = () => candidates(text, 3, past('total;', 'sum;'));
    expect(find().length).toBeLessThanOrEqual(60);
    expect(await cpuMs(find, 2500)).toBeLessThan(2500);
  });
});
