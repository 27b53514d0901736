import { expect, test } from 'vitest';
import { type EmptyReason, toGhostText, trimOverlap } from '../../language-server/completion/postprocess.ts';
import { surroundings } from '../../language-server/completion/text-window.ts';
import type { Settings } from '../../language-server/protocol.ts';
import { atCursor } from './cursor.ts';

interface Variation {
  languageId?: string;
  multiline?: Settings['completion.multiline'];
}

function ghost(marked: string, raw: string, { languageId = 'typescript', multiline = 'auto' }: Variation = {}) {
  const { text, offset } = atCursor(marked);
  return toGhostText(raw, surroundings(text, offset), languageId, multiline);
}

function check(marked: string, raw: string, expected: string, variation?: Variation): void {
  expect(ghost(marked, raw, variation)).toEqual({ text: expected, reason: null });
}

function checkEmpty(marked: string, raw: string, reason: EmptyReason): void {
  expect(ghost(marked, raw)).toEqual({ text: null, reason });
}

test('keeps the rest of a line as the model wrote it', () => {
  check('const a = $0\n', 'compute(1);', 'compute(1);');
});

test('ends after one line in the middle of a statement', () => {
  check('const a = $0\n', 'b;\nconst c = d;', 'b;');
});

test('lets a finished line continue on the next one', () => {
  check('open();$0\n', '\nclose();\nagain();', '\nclose();');
});

test('cuts a bracket that the editor has closed already', () => {
  check('print($0)\n', 'a, b)', 'a, b');
});

test('cuts what runs past the closing bracket', () => {
  check('if (isReady($0)) {\n', 'user, now())) {\n  return;', 'user, now()');
});

test('keeps brackets that the text opens itself', () => {
  check('print($0)\n', 'max(a, (b))', 'max(a, (b))');
});

test('cuts a quote that the editor has closed already', () => {
  check("import fs from '$0';\n", "node:fs';", 'node:fs');
});

test('cuts the rest of the line where the text repeats it', () => {
  check('const total = $0 + tax;\n', 'price * count + tax; // sum', 'price * count');
});

test('cuts an overlap only at the bounds of words', () => {
  expect(trimOverlap('x = a', 'as b')).toBe('x = a');
  expect(trimOverlap('x = a as', 'as b')).toBe('x = a ');
});

test('trims white space at the end', () => {
  check('return$0\n', ' value;  \t', ' value;');
});

test('answers nothing where the model writes nothing', () => {
  checkEmpty('done();$0\n', ' \n', 'model-wrote-nothing');
});

test('answers nothing where only the closing bracket is written', () => {
  checkEmpty('print($0)\n', ')', 'nothing-to-add');
});

test('answers nothing where the next line is repeated', () => {
  checkEmpty('function f() {\n  $0\n  return 1;\n}\n', 'return 1;', 'repeats-next-line');
});

test('stops before the line that follows the cursor', () => {
  check('function f() {\n  $0\n  return a;\n}\n', 'const a = g();\n  return a;\n}', 'const a = g();');
});

test('writes several lines in a block that the line opens', () => {
  check('if (a) {$0\n', '\n  b();\n  c();\n}\nd();', '\n  b();\n  c();\n}');
});

test('leaves the closing bracket that the document has', () => {
  check('if (a) {$0\n}\n', '\n  b();\n}\nd();', '\n  b();');
});

test('stops where the indentation falls below the cursor', () => {
  check('class A:\n    $0\n', 'x = 1\n    y = 2\nclass B:', 'x = 1\n    y = 2', { languageId: 'python' });
});

test('opens a block at a colon in Python only', () => {
  check('for a in b:$0\n', '\n    c(a)\n    d(a)\ne()', '\n    c(a)\n    d(a)', { languageId: 'python' });
  check('type A = { b:$0\n', ' string;\n c: number', ' string;');
});

test('stops at an empty line', () => {
  check('$0\n', 'a();\nb();\n\nc();', 'a();\nb();');
});

test('writes one line where several are not wanted', () => {
  check('$0\n', 'a();\nb();', 'a();', { multiline: 'never' });
});

test('writes several lines everywhere when asked to', () => {
  check('const a = $0\n', 'b(\n  1,\n);\nc();', 'b(\n  1,\n);\nc();', { multiline: 'always' });
});

test('keeps one of a line that comes again and again', () => {
  check('$0\n', 'a();\nb();\nb();\nb();\nb();', 'a();\nb();');
});

test('keeps one of the words that come again and again', () => {
  check('x = $0\n', 'foo, foo, foo, foo, foo, foo, foo, ', 'foo,');
});

test('does not take a ruler or a row of numbers for repetition', () => {
  check('// $0\n', '----------------------------------------', '----------------------------------------');
  check('[$0\n', '0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0', '0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0');
});

test('never shows a special token that the model spells out', () => {
  check('a = $0\n', 'b<|fim_suffix|>c', 'b');
  checkEmpty('a = $0\n', '<|endoftext|>', 'nothing-to-add');
});

test('treats line ends of Windows like others', () => {
  check('print($0)\r\nnext();\r\n', 'a)', 'a');
  check('$0\r\nnext();\r\n', 'a();\nnext();', 'a();');
});
