import { expect, test } from 'vitest';
import { languageOf } from '../../../language-server/rules/languages.ts';
import { scan, within } from '../../../language-server/rules/scanner.ts';

function openIn(languageId: string, text: string): string {
  return scan(text, languageOf(languageId))
    .open.map(({ token }) => token)
    .join(' ');
}

test.each([
  ['typescript', 'f(a, [b, {', '( [ {'],
  ['typescript', "f('(', `[${g(", '( ` ${ ('],
  ['typescript', 'a = b / c; d = /[(]"/.test(e', '('],
  ['typescript', "// don't (\nf(", '('],
  ['typescript', '/* ( */ f(/* [', '( /*'],
  ['typescript', "a = 'not closed\nf(", '('],
  ['typescript', 'a = "\\"(', '"'],
  ['python', '"""one\n"two" (', '"""'],
  ['python', "f'{a", "'"],
  ['python', 'a = 1 # (\n[', '['],
  ['rust', "fn f<'a>(s: &'a str) {", '{'],
  ['rust', `match c { '"' => f(`, '{ ('],
  ['rust', `match c { '(' | '\\'' => [`, '{ ['],
  ['rust', `fn f<'a, 'b>(s: &'a str, "`, '( "'],
  ['shellscript', 'if [ $# -lt 1 ]; then (', '('],
  ['shellscript', `echo 'it'\\''s'\n(`, '('],
  ['shellscript', 'echo \\"a\n(', '('],
  ['shellscript', 'echo \\\\"a\n(', '"'],
  ['powershell', 'f("C:\\")\nif ($a) {', '{'],
  ['elixir', `@doc """\none) (two\n"""\n[`, '['],
  ['go', 'a := `(\n"`\nf(', '('],
  ['go', 'a := f(`\\`, `${`)\n[', '['],
  ['typescriptreact', '<A b={c} /> {d.map((e) => <F />', '{ ('],
  ['typescript', 'a = b => { return /[(]"/ }; f(', '('],
  ['html', "<p>don't (", '('],
  ['html', '<a href="', '"'],
  ['lua', '--[[ ( ]] f(-- [', '( --'],
  ['lua', "a = [[\nit's (\n]] f(", '('],
  ['lua', 'a[b[1]] = { [[(', '{ [['],
  ['markdown', "don't `(", '('],
])('%s: %j leaves open: %s', (languageId, text, open) => {
  expect(openIn(languageId, text)).toBe(open);
});

test('says which bracket of the text before a closer closes', () => {
  const language = languageOf('typescript');
  const { open } = scan('if (a) { f(', language);
  const { outer } = scan('b(c), ")") }', language, open);
  expect(outer.map(({ at, closes }) => [at, closes?.token])).toEqual([
    [9, '('],
    [11, '{'],
  ]);
});

test('a closer without an opener closes nothing', () => {
  expect(scan('a)', languageOf('typescript')).outer).toEqual([{ at: 1, closes: null }]);
});

test.each([
  ['f(', 'code'],
  ['"a', 'string'],
  ['// a', 'comment'],
  ['`${a', 'code'],
])('the end of %j is in %s', (text, expected) => {
  const language = languageOf('typescript');
  expect(within(scan(text, language).open, language)).toBe(expected);
});
