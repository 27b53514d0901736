// Rules that depend on one number or one character, each tested on both sides of the border.
import { beforeAll, expect, test } from 'vitest';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { OpenDelimiters } from '../../../language-server/shape/delimiters.ts';
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import { unitOf } from '../../../language-server/shape/indentation.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { repetitionStart } from '../../../language-server/shape/repetition.ts';
import { toGhostText } from '../../../language-server/shape/shape.ts';
import { commentEnd } from '../../../language-server/shape/unwanted.ts';
import { loadGrammar } from '../../../language-server/syntax/runtime.ts';

beforeAll(() => Promise.all(['typescript', 'csharp', 'powershell'].map(loadGrammar)));

/** The cursor is at "$0". */
function placeIn(marked: string, languageId = 'typescript', multiline: 'auto' | 'never' = 'auto') {
  const text = LongText.of(marked.replace('$0', ''));
  return placeAt({ uri: 'file:///a', languageId, text, offset: marked.indexOf('$0') }, multiline);
}

test.each([
  ['where no line below closes it', 'if (a) {\n  $0\n', '\n}'],
  ['but none where the next line closes it', 'if (a) {\n  $0\n}\n', ''],
  ["and one where the closing line comes after a line with the opener's indentation", 'if (a) {\n  $0\nb();\n}\n', ''],
])('a block gets its closer: %s', (_, marked, tail) => {
  expect(placeIn(marked)).toMatchObject({ extent: 'block', tail });
});

test.each(['```python\n', '```python\r\n', '``` Python 3\n', '~~~~py\n'])('%j begins code of its language', (fence) => {
  expect(placeIn(`Text.\n\n${fence}a = $0`, 'markdown').code.languageId).toBe('python');
});

test.each([
  [2, '  '],
  [8, ' '.repeat(8)],
  [9, '  '],
])('steps of %d columns count as indentation, up to eight', (width, unit) => {
  const text = ['a', `${' '.repeat(width)}b`, 'c', `${' '.repeat(width)}d`].join('\n');
  expect(unitOf(LongText.of(text), 0, 2)).toBe(unit);
});

test('a repetition begins at the start of its first line', () => {
  expect(repetitionStart('open();\nread(a);\nread(a);\nread(a);\n')).toBe('open();\n'.length);
  expect(repetitionStart('open();\n\n  read(a);\n  read(a);\n  read(a);\n')).toBe('open();\n\n'.length);
});

test.each([
  ['in a comment', '/* Says\n * $0\n', 'that.\n */\nf();', 'that.\n */'.length],
  ['in a comment that ends below', '/* Says\n * $0\n */\n', 'that.\n */\nf();', 'that.\n '.length],
  ['before the rest of a line', '/* Says\n * $0 more\n', 'that */ f();', 'that */ f();'.length],
  ['in a comment of one line', '// may be $0\n', 'null, or 0', 'null, or 0'.length],
  ['in a string', 'const a = `x $0\n', 'y` + b;', 'y` + b;'.length],
  ['in code', 'f();\n$0\n', 'g(); */ h();', 'g(); */ h();'.length],
])('finds where a text leaves the comment or string at the cursor: %s', (_, marked, text, end) => {
  expect(commentEnd(text, placeIn(marked))).toBe(end);
});

test.each([
  ['dockerfile', 'COPY src/* /app/\nRUN $0', 'code'],
  ['dockerfile', 'COPY src/**/* /app/\nRUN $0', 'code'],
  ['sql', 'select 1; /* All\n$0', 'comment'],
  ['sql', '/* All */\n$0', 'code'],
  ['ocaml', "let f (x : 'a) = $0", 'code'],
  ['clojure', "(map 'foo $0", 'code'],
  ['ocaml', 'let a = "$0', 'string'],
])('without a grammar, no path begins a comment, and no apostrophe a string: %s, %j', (languageId, marked, within) => {
  expect(placeIn(marked, languageId).within).toBe(within);
});

test.each([
  ['csharp', 'class V\n{\n    $0\n}\n', 'int G()\n    {\n        return 1;\n    }', 'int G()'],
  ['csharp', 'void G()\n{\n    $0\n}\n', 'try\n    {\n        F();\n    }', undefined],
  ['powershell', 'function G\n{\n    $0\n}\n', 'try\n    {\n        Read-Rate\n    }', undefined],
])('where one line is wanted, a head is shown if the block below makes it whole: %s, %j', (id, marked, text, shown) => {
  const generated = new GeneratedText(true);
  generated.append(text, -0.001);
  const gate = { line: 0.1, beginning: 0.5 };
  expect(toGhostText(generated, placeIn(marked, id, 'never'), gate).suggestion?.text).toBe(shown);
});

test.each([
  ['*p = ', 'f(1, [2', '])'],
  ['#define A ', 'f(', ')'],
  ['--i; ', 'f(', ')'],
  ['a ', '* (b', ')'],
  ['*p = ', 'f(); // All (', ''],
  ['a; ', '// All (', ''],
  ['  ', '# All (', ''],
])('only a sign in the text itself begins a comment there: %j, %j', (before, text, open) => {
  expect(OpenDelimiters.in(text, before).brackets).toBe(open);
});
