// Which uses follow a renamed declaration, and where a rule must not be so sure.
import { expect, test } from 'vitest';
import { renamedUse } from '../../../../../language-server/edits/proposals/renames/renamed-uses.ts';
import { cart, prices } from '../../../../fixtures/shop.ts';

const history = (before: string, after: string, path = 'a.ts') => [{ path, before, after }];

/** The new lines, one after the other, as if each were made. */
function lines(
  text: string,
  edits: ReturnType<typeof history>,
  languageId = 'typescript',
  path = edits[0]?.path ?? '',
): string[] {
  const found: string[] = [];
  for (let now = text; found.length < 20; ) {
    const edit = renamedUse({ path, text: now, cursor: -1, languageId }, edits, () => false);
    if (!edit) return found;
    found.push(edit.text.trim());
    now = now.slice(0, edit.start) + edit.text + now.slice(edit.end);
  }
  return found;
}

const taxToVat = history('const tax = 1;', 'const vat = 1;');
const countToTotal = history('  const count = 1;', '  const total = 1;');

test('each use in code is renamed, twice in a line, too', () => {
  const text = `const vat = 1;\nadd(tax, tax);\nlog(\`\${tax} tax\`);\nreturn taxes + tax;\n`;
  expect(lines(text, taxToVat)).toEqual(['add(vat, vat);', `log(\`\${vat} tax\`);`, 'return taxes + vat;']);
});

test.each([
  ['a comparison', 'if (a > tax && a < tax) log(...tax);', 'if (a > vat && a < vat) log(...vat);'],
  ['a choice', 'return a ? tax : 0;', 'return a ? vat : 0;'],
  ['an argument among others', 'log(a, tax, { b: 3 });', 'log(a, vat, { b: 3 });'],
  ['a value of an object', 'return { tax: 1, rate: tax };', 'return { tax: 1, rate: vat };'],
  ['a call in a condition', 'if (f(tax)) {\n}', 'if (f(vat)) {'],
  ['a case', 'switch (a) {\n  case tax:\n}', 'case vat:'],
  ['an index', 'sums[tax] = 3;', 'sums[vat] = 3;'],
  ['beside the member of something', 'this.tax = tax;', 'this.tax = vat;'],
  ['beside a type with such a member', 'interface A {\n  tax: number;\n}\nlog(tax);', 'log(vat);'],
  ['the type of a value', 'let a: tax = 3;', 'let a: vat = 3;'],
  ['the type of a parameter', 'function f(a: tax) {\n}', 'function f(a: vat) {'],
  ['what a class extends', 'class A extends tax {\n}', 'class A extends vat {'],
  ['beside a method', 'class A {\n  tax() {\n  }\n  async tax2() {\n    tax();\n  }\n}', 'vat();'],
  ['beside the method of an object', 'f({ tax() {\n  return tax;\n} });', 'return vat;'],
  ['beside the member of an enum', 'enum A {\n  tax,\n}\nlog(tax);', 'log(vat);'],
  ['a list of dependencies', 'useEffect(() => {}, [a, tax]);', 'useEffect(() => {}, [a, vat]);'],
])('a use is renamed in %s', (_, text, expected) => {
  expect(lines(`const vat = 1;\n${text}\n`, taxToVat)).toEqual([expected]);
});

test.each([
  ['for x in tax:', 'for x in vat:'],
  ['if tax:', 'if vat:'],
  ['class A(tax):', 'class A(vat):'],
  ['def f(a=tax):', 'def f(a=vat):'],
  ['def f() -> tax:', 'def f() -> vat:'],
  ['@tax', '@vat'],
])('a use is renamed in Python: %s', (text, expected) => {
  const edits = history('class tax:', 'class vat:', 'a.py');
  expect(lines(`class vat:\n    pass\n\n${text}\n    pass\n`, edits, 'python')).toEqual([expected]);
});

test('not in comments and strings, of several lines, too, nor as the property of something else', () => {
  const text = "const vat = 1;\n// the tax\n/*\n * The tax of it.\n */\nlog('tax', `\n tax\n`);\nitem.tax = 2;\n";
  expect(lines(text, taxToVat)).toEqual([]);
  const documented = 'def vat():\n    """\n    The tax of it.\n    """\n';
  expect(lines(documented, history('def tax():', 'def vat():', 'a.py'), 'python')).toEqual([]);
  const page = 'const vat = 1;\nreturn <p>The tax, {a}</p>;\nreturn <b>tax</b>;\nreturn <p>\n  Of tax.\n</p>;\n';
  expect(lines(page, taxToVat, 'typescriptreact')).toEqual([]);
  expect(lines('const vat = 1;\nreturn <p>{tax}</p>;\n', taxToVat, 'typescriptreact')).toEqual([
    'return <p>{vat}</p>;',
  ]);
});

test.each([
  ['JSON.parse', 'typescript', 'function parse(t) {', 'function parseArgs(t) {', 'const c = JSON.parse(text);'],
  ['console.log', 'typescript', 'function log(t) {', 'function report(t) {', 'console.log(1);'],
  ['of a file', 'python', 'def read(p):', 'def read_config(p):', '    return f.read()'],
  ['of a struct', 'go', 'func Set(m int) {', 'func SetAll(m int) {', '\tx.Set(1)'],
  ['of a namespace', 'cpp', 'struct sort {', 'struct order {', 'std::sort(a);'],
])('the method of another object keeps its name: %s', (_, languageId, before, after, use) => {
  expect(lines(`${after}\n}\n${use}\n`, history(before, after), languageId)).toEqual([]);
});

test('a method is renamed where its own object or class is named, and nowhere else', () => {
  const text = 'class A:\n    def make(self):\n        self.build()\n        other.build()\n        build()\n';
  expect(lines(text, history('    def build(self):', '    def make(self):', 'a.py'), 'python')).toEqual([
    'self.make()',
  ]);
  const php = 'class A {\n  public function size() {\n    return count($this->items) + $this->count();\n  }\n}\n';
  const edits = history('  public function count() {', '  public function size() {', 'a.php');
  expect(lines(php, edits, 'php')).toEqual(['return count($this->items) + $this->size();']);
  const rust =
    'impl A {\n    fn make(&self) {\n        self.build();\n        Self::build(self);\n        b::build();\n    }\n}\n';
  expect(lines(rust, history('    fn build(&self) {', '    fn make(&self) {', 'a.rs'), 'rust')).toEqual([
    'self.make();',
    'Self::make(self);',
  ]);
});

test.each([
  ['another declaration', 'let tax = 2;'],
  ['a parameter', 'function f(tax) {\n  return tax;\n}'],
  ['a parameter of an arrow', 'map(tax => tax + 1);'],
  ['a parameter of an arrow that is returned', 'return map((tax) => tax + 1);'],
  ['a typed parameter', 'function f(tax: number) {\n  return tax;\n}'],
  ['a parameter in a line of its own', 'function f(\n  a,\n  tax,\n) {\n  return tax;\n}'],
  ['an assignment', 'tax = 2;'],
  ['a loop', 'for (const tax of taxes) log(tax);'],
  ['a caught error', 'try {\n} catch (tax) {\n  log(tax);\n}'],
  ['a binding pattern', 'function g() {\n  const { tax } = props;\n  return tax;\n}'],
  ['a binding pattern of several lines', 'const {\n  a,\n  tax,\n} = props;'],
  ['a binding pattern with another name', 'const { a: tax } = props;'],
  ['a binding pattern within another', 'const { a: { tax } } = props;'],
  ['a pattern of a list', 'const [tax, setTax] = useState(0);'],
  ['a pattern in a loop', 'for (const [a, tax] of list) log(tax);'],
  ['a pattern as a parameter', 'function C({ a, tax }) {\n}'],
  ['a pattern as a parameter of an arrow', 'const C = ({ a, tax }: Props) => tax;'],
  ['several in one declaration', 'let a, tax;'],
  ['an import', "import { tax } from './b';"],
  ['an import of several lines', "import {\n  a,\n  tax,\n} from './b';"],
  ['an import by another name', "import { a as tax } from './b';"],
  ['what is required', "const { tax } = require('./b');"],
])('where the old name still has a declaration, nothing is certain: %s', (_, text) => {
  expect(lines(`const vat = 1;\nlog(tax);\n${text}\n`, taxToVat)).toEqual([]);
});

test.each([
  ['go', 'var count = 1', 'var total = 1', 'count, err := h()'],
  ['go', 'var count = 1', 'var total = 1', 'func f(a, count int) error {'],
  ['go', 'var count = 1', 'var total = 1', 'for _, count := range list {'],
  ['go', 'var count = 1', 'var total = 1', 'func (count *T) f() {'],
  ['python', 'class count:', 'class total:', 'count, b = f()'],
  ['python', 'class count:', 'class total:', '(a, count) = f()'],
  ['python', 'class count:', 'class total:', 'for i, count in enumerate(a):'],
  ['python', 'class count:', 'class total:', 'x = [count for i, count in y]'],
  ['python', 'class count:', 'class total:', 'with open(p) as count:'],
  ['python', 'class count:', 'class total:', 'from b import a, count'],
  ['python', 'class count:', 'class total:', 'def f(\n    a,\n    count,\n):'],
  ['rust', 'let count = 1;', 'let total = 1;', 'let (count, b) = f();'],
  ['rust', 'let count = 1;', 'let total = 1;', 'a.map(|b, count| b);'],
  ['rust', 'let count = 1;', 'let total = 1;', 'if let Some(count) = x {'],
  ['java', 'final var count = 1;', 'final var total = 1;', 'int count;'],
  ['java', 'final var count = 1;', 'final var total = 1;', 'void f(int a, int count) throws E {'],
  ['java', 'final var count = 1;', 'final var total = 1;', 'private static int count(int a) {'],
  ['kotlin', 'val count = 1', 'val total = 1', 'fun count() {'],
  ['kotlin', 'val count = 1', 'val total = 1', 'list.map { count -> 1 }'],
  ['lua', 'function count()', 'function total()', 'local a, count'],
])('nor with a declaration in %s: %s', (languageId, before, after, text) => {
  expect(lines(`${after}\nuse(count)\n${text}\n`, history(before, after), languageId)).toEqual([]);
});

test('a constructor follows its class', () => {
  const text = 'public class Vat {\n  public Tax(int a) {\n  }\n  private Tax other;\n  return new Tax(1);\n}\n';
  expect(lines(text, history('public class Tax {', 'public class Vat {', 'Vat.java'), 'java')).toEqual([
    'public Vat(int a) {',
    'private Vat other;',
    'return new Vat(1);',
  ]);
});

test('the whole document is looked through for another declaration', () => {
  const far = 'step();\n'.repeat(8000);
  const text = (name: string) => `const ${name} = 2;\n${far}log(tax);\nconst vat = 1;\n`;
  expect(lines(text('other'), taxToVat)).toEqual(['log(vat);']);
  expect(lines(text('tax'), taxToVat)).toEqual([]);
});

test.each([
  ['a parameter', 'function f(total) {\n  const total = 1;\n  return count + total;\n}\n'],
  ['an import', "import { total } from './b';\n  const total = 1;\nlog(count);\n"],
  ['a pattern', '  const total = 1;\nconst { total } = props;\nlog(count);\n'],
])('nor where the new name already has a declaration: %s', (_, text) => {
  expect(lines(text, countToTotal)).toEqual([]);
});

test('the key of an object keeps its name', () => {
  const object = 'function f() {\n  const total = 1;\n  g({ a, count });\n  return {\n    count,\n    b,\n  };\n}\n';
  expect(lines(object, countToTotal)).toEqual(['g({ a, count: total });', 'count: total,']);
  expect(lines('  const total = 1;\nexport { count };\n', countToTotal)).toEqual([]);
  const rust = '    let total = 1;\n    A { count }\n';
  expect(lines(rust, history('    let count = 1;', '    let total = 1;'), 'rust')).toEqual([]);
});

test('a loop up to the name declares nothing', () => {
  const text = 'const most = 9;\nlog(top);\nfor (let i = 0; i < top; i++) {\n  log(top);\n}\n';
  expect(lines(text, history('const top = 9;', 'const most = 9;'))).toEqual([
    'log(most);',
    'for (let i = 0; i < most; i++) {',
    'log(most);',
  ]);
});

test('only a rename counts, and only of a declaration', () => {
  const text = 'const vat = 1;\nlog(tax);\n';
  expect(lines(text, history('const tax = 1;', 'const vat = 2;'))).toEqual([]);
  expect(lines(text, history('log(tax);', 'log(vat);'))).toEqual([]);
  expect(lines(text, history('const tax = 1;', ''))).toEqual([]);
});

test.each([
  ['typescript', 'a.ts', 'lib/b.ts', "import { tax } from '../a';"],
  ['typescript', 'lib/a.ts', 'b.ts', "import {\n  tax,\n} from './lib/a.js';"],
  ['typescript', 'lib/index.ts', 'b.ts', "import { tax } from './lib';"],
  ['typescript', 'lib/[...slug].ts', 'b.ts', "import { tax } from './lib/[...slug]';"],
  ['javascript', 'a.js', 'b.js', "const { tax } = require('./a');"],
  ['python', 'shop/a.py', 'b.py', 'from shop.a import tax'],
  ['rust', 'src/a.rs', 'src/b.rs', 'use crate::a::tax;'],
  ['c', 'a.h', 'b.c', '#include "a.h"'],
  ['go', 'p/a.go', 'p/b.go', 'package p'],
])('another file follows if it imports the name: %s, %s', (languageId, path, other, imported) => {
  const edits = history('export function tax() {', 'export function vat() {', path);
  const text = `${imported}\nlog(tax);\n`;
  expect(lines(text, edits, languageId, other).at(-1)).toBe('log(vat);');
  expect(lines(text, edits, languageId, other).join('\n')).not.toContain('tax');
  expect(lines('log(tax);\n', edits, languageId, `else/${other}`)).toEqual([]);
});

test.each([
  ['from a package', "import { tax } from 'csv';\nlog(tax);"],
  ['from a package of that name', "import { tax } from 'a';\nlog(tax);"],
  ['from another file', "import { tax } from './b';\nlog(tax);"],
  ['and another has the new one', "import { tax } from '../a';\nimport { vat } from './b';\nlog(tax);"],
  ['and the new one is declared', "import { tax } from '../a';\nconst vat = 2;\nlog(tax);"],
  ['of a name that is not exported', "import { tax } from '../a';\nlog(tax);", 'const'],
])('another file does not follow: %s', (_, text, keyword = 'export const') => {
  expect(lines(text, history(`${keyword} tax = 1;`, `${keyword} vat = 1;`), 'typescript', 'lib/c.ts')).toEqual([]);
});

test('all uses in two files follow, one after the other', () => {
  const edits = history('export const baseRate = 0.19;', 'export const vatRate = 0.19;', 'prices.ts');
  const changed = (text: string) => text.split('\n').filter((line) => line.includes('baseRate'));
  const renamed = (text: string) => changed(text).map((line) => line.replaceAll('baseRate', 'vatRate').trim());
  const [first = '', ...rest] = prices.split('\n');
  const text = [first.replace('baseRate', 'vatRate'), ...rest].join('\n');
  expect(lines(text, edits)).toEqual(renamed(rest.join('\n')));
  expect(lines(cart, edits, 'typescript', 'cart.ts')).toEqual(renamed(cart));
});

test('the next one below the cursor comes first, and none in its line; a dismissed one is left out', () => {
  const text = 'log(tax);\nconst vat = 1;\nadd(tax);\nend(tax);\n';
  const at = (cursor: number, isDismissed = false) =>
    renamedUse({ path: 'a.ts', text, cursor, languageId: 'typescript' }, taxToVat, ({ text: now }) => {
      return isDismissed && now === 'end(vat);';
    })?.text;
  expect(at(text.indexOf('vat'))).toBe('add(vat);');
  expect(at(text.indexOf('add(tax)') + 2)).toBe('end(vat);');
  expect(at(text.indexOf('add(tax)') + 2, true)).toBe('log(vat);');
});
