import { afterAll, expect, test } from 'vitest';
import { Syntax } from '../../../lab/tools/syntax/syntax.ts';

const syntax = new Syntax();
afterAll(() => syntax.close());

// The parsers of these languages are on every machine of the project.
const texts: [language: string, right: string, wrong: string][] = [
  ['typescript', 'const a: number[] = [1];\n', 'const a: number[] = [1;\n'],
  ['typescriptreact', 'const a = <b>{1}</b>;\n', 'const a = <b>{1}</i>;\n'],
  ['javascript', 'for (const a of b) c(a);\n', 'for (const a of b c(a);\n'],
  ['json', '{"a": [1]}\n', '{"a": [1],}\n'],
  ['css', 'a { color: red }\n', 'a { color: red\n'],
  ['python', 'def a():\n    pass\n', 'def a():\npass\n'],
  ['shellscript', 'if true; then\n  a\nfi\n', 'if true; then\n  a\n'],
];

test.each(texts)('in %s, a syntax error is found, and correct text has none', async (language, right, wrong) => {
  expect(await syntax.errors(language, right)).toBe(0);
  expect(await syntax.errors(language, wrong)).toBeGreaterThan(0);
});

test('a language without a parser is not measured', async () => {
  expect(await syntax.errors('markdown', '# A')).toBeNull();
});

test('texts as long as files are parsed, several in parallel', async () => {
  const text = `${'value = "ü"\n'.repeat(20_000)}`;
  const asked = await Promise.all([syntax.errors('python', text), syntax.errors('python', `${text}(`)]);
  expect(asked).toEqual([0, 1]);
});

test('a text that ends inside a character is parsed, and so are the texts after it', async () => {
  expect(await syntax.errors('shellscript', 'echo "\ud83d"\n')).toBe(0);
  expect(await syntax.errors('shellscript', 'if true\n')).toBe(1);
});
