// Rules that decide by one figure or one character, each with what is just on its other side.
import { beforeAll, expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { unitOf } from '../../../language-server/shape/indentation.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { repetitionStart } from '../../../language-server/shape/repetition.ts';
import { commentEnd } from '../../../language-server/shape/unwanted.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';

beforeAll(() => loadGrammar('typescript'));

/** The cursor stands at "$0". */
function placeIn(marked: string, languageId = 'typescript') {
  const text = LongText.of(marked.replace('$0', ''));
  return placeAt({ uri: 'file:///a', languageId, text, offset: marked.indexOf('$0') }, 'auto');
}

test.each([
  ['no line closes it', 'if (a) {\n  $0\n', '\n}'],
  ['the line below does', 'if (a) {\n  $0\n}\n', ''],
  ['a line further down does, behind one that is indented as the opener', 'if (a) {\n  $0\nb();\n}\n', ''],
])('a block gets its closer only where %s', (_, marked, tail) => {
  expect(placeIn(marked)).toMatchObject({ extent: 'block', tail });
});

test.each(['```python\n', '```python\r\n', '``` Python 3\n', '~~~~py\n'])('%j begins code of its language', (fence) => {
  expect(placeIn(`Text.\n\n${fence}a = $0`, 'markdown').code.languageId).toBe('python');
});

test.each([
  [2, '  '],
  [8, ' '.repeat(8)],
  [9, '  '],
])('steps of %d columns are indentation up to eight', (width, unit) => {
  const text = ['a', `${' '.repeat(width)}b`, 'c', `${' '.repeat(width)}d`].join('\n');
  expect(unitOf(LongText.of(text), 0, 2)).toBe(unit);
});

test('a repetition begins where its first line does', () => {
  expect(repetitionStart('open();\nread(a);\nread(a);\nread(a);\n')).toBe('open();\n'.length);
  expect(repetitionStart('open();\n\n  read(a);\n  read(a);\n  read(a);\n')).toBe('open();\n\n'.length);
});

test.each([
  ['in a comment', '/* Says\n * $0\n', 'that.\n */\nf();', 'that.\n */'.length],
  ['in one that ends below', '/* Says\n * $0\n */\n', 'that.\n */\nf();', 'that.\n '.length],
  ['before the rest of a line', '/* Says\n * $0 more\n', 'that */ f();', 'that */ f();'.length],
  ['in a comment of one line', '// may be $0\n', 'null, or 0', 'null, or 0'.length],
  ['in a string', 'const a = `x $0\n', 'y` + b;', 'y` + b;'.length],
  ['in code', 'f();\n$0\n', 'g(); */ h();', 'g(); */ h();'.length],
])('text leaves a comment behind its end: %s', (_, marked, text, end) => {
  expect(commentEnd(text, placeIn(marked))).toBe(end);
});
