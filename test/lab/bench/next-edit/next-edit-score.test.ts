import { expect, test } from 'vitest';
import type { NextEditAnswer, NextEditCase } from '../../../../lab/bench/next-edit/next-edit-case.ts';
import { figuresOf, scoreOf } from '../../../../lab/bench/next-edit/next-edit-score.ts';
import type { TextEdit } from '../../../../language-server/edits/text/text-edit.ts';

const text = 'let sum = 0;\nadd(total);\nlog(end);\nend(total);\n';
const at = (line: string) => ({ start: text.indexOf(line), end: text.indexOf(line) + line.length });
const rename: NextEditCase = {
  ...{ path: 'a.ts', languageId: 'typescript', text, cursor: 7, quiet: false },
  history: [{ path: 'a.ts', before: 'let total = 0;', after: 'let sum = 0;' }],
  expected: [
    { ...at('add(total);'), text: 'add(sum);' },
    { ...at('end(total);\n'), text: 'end(sum);\n' },
  ],
};
const quiet: NextEditCase = { ...rename, expected: [], quiet: true };
const answer = (edit: TextEdit | null, probability: number | null = null, path = 'a.ts'): NextEditAnswer => ({
  ...{ edit: edit && { path, ...edit }, probability, reason: null, tokens: 4, ms: 2 },
});
const right = answer({ ...at('end(total);'), text: 'end(sum);' });

test('an edit is exact if its result is any of the expected ones, however it is written', () => {
  const wholeFile = answer({ start: 0, end: text.length, text: text.replace('add(total)', 'add(sum)') });
  for (const each of [right, wholeFile])
    expect(scoreOf(rename, each)).toMatchObject({ shown: true, exact: true, place: true, wronglyDeleted: 0 });
});

test('a different text at an expected line counts as the right place', () => {
  const other = answer({ ...at('end(total);'), text: 'end(all);' });
  expect(scoreOf(rename, other)).toMatchObject({ exact: false, place: true, deleted: 5, wronglyDeleted: 0, saved: -1 });
  const elsewhere = answer({ ...at('log(end);\n'), text: '' });
  expect(scoreOf(rename, elsewhere)).toMatchObject({ exact: false, place: false, deleted: 10, wronglyDeleted: 10 });
  const inOtherFile = answer({ ...at('end(total);'), text: 'end(sum);' }, null, 'b.ts');
  expect(scoreOf(rename, inOtherFile)).toMatchObject({ shown: true, exact: false, place: false });
});

test('an insertion may begin before or after the line feed', () => {
  const start = text.indexOf('log(end)');
  const insertion = { ...rename, expected: [{ start, end: start, text: 'flush();\n' }] };
  const before = answer({ start: start - 1, end: start - 1, text: '\nflush();' });
  expect(scoreOf(insertion, before)).toMatchObject({ exact: true, place: true });
});

test('an exact edit saves the keys that a person would have pressed', () => {
  // Going there, selecting "total" and typing "sum" takes six keys; going there and applying takes two.
  expect(scoreOf(rename, right)).toMatchObject({ byHand: 6, saved: 4 });
  expect(scoreOf(rename, answer(null))).toMatchObject({ byHand: 6, saved: 0 });
  expect(scoreOf(quiet, right)).toMatchObject({ byHand: 0, saved: -1 });
});

test('an edit that undoes the last one is a reversal', () => {
  const back = (edit: TextEdit) => scoreOf(quiet, answer(edit)).reversal;
  expect(back({ ...at('let sum = 0;'), text: 'let total = 0;' })).toBe(true);
  expect(back({ ...at('sum'), text: 'total' })).toBe(true);
  expect(back({ ...at('sum'), text: 'all' })).toBe(false);
  expect(back({ ...at('end(total);'), text: 'end(sum);' })).toBe(false);
  const deleted = { ...quiet, history: [{ path: 'a.ts', before: 'flush();', after: '' }] };
  expect(scoreOf(deleted, answer({ start: 13, end: 13, text: 'flush();\n' })).reversal).toBe(true);
  const inserted = { ...quiet, history: [{ path: 'a.ts', before: '', after: 'log(end);' }] };
  expect(scoreOf(inserted, answer({ ...at('log(end);\n'), text: '' })).reversal).toBe(true);
});

test('an edit with a probability below the gate is not shown', () => {
  const unsure = { ...right, probability: 0.4 };
  expect(scoreOf(rename, unsure, 0.5)).toMatchObject({ shown: false, exact: false, saved: 0 });
  expect(scoreOf(rename, unsure, 0.4)).toMatchObject({ shown: true, exact: true });
});

test('each share is relative to the cases that can count for it', () => {
  const wrong = answer({ ...at('log(end);\n'), text: '' });
  const scores = [
    scoreOf(rename, right),
    scoreOf(rename, wrong),
    scoreOf(rename, answer(null)),
    scoreOf(quiet, answer(null)),
    scoreOf(quiet, wrong),
  ];
  expect(figuresOf(scores)).toMatchObject({
    ...{ cases: 5, shown: 2 / 3, exact: 1 / 3, place: 1 / 3, quiet: 0.5, precision: 1 / 3, reversals: 0 },
    ...{ wronglyDeleted: 20 / 25, wrongDeletions: 2 / 3, keystrokesSaved: 2, tokensPerCase: 4, msP95: 2 },
  });
});
