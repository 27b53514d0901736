// Which uses follow a renamed declaration, and which may mean something else.
import { expect, test } from 'vitest';
import { LongText } from '../../../../../language-server/documents/long-text.ts';
import { renamesIn } from '../../../../../language-server/edits/proposals/renames/renames.ts';
import { forgetTree, keptTreeOf } from '../../../../../language-server/syntax/trees.ts';
import { cart, prices } from '../../../../fixtures/shop.ts';
import { nextUse } from '../../../../support/next-use.ts';

const history = (before: string, after: string, path = 'a.ts') => [{ path, before, after }];

/** The new lines in the order of their offers. Each is applied before the next one is offered. */
async function lines(
  text: string,
  edits: ReturnType<typeof history>,
  languageId = 'typescript',
  path = edits[0]?.path ?? '',
): Promise<string[]> {
  const found: string[] = [];
  const made = [...edits];
  for (let now = text; found.length < 20; ) {
    const { use } = await nextUse({ path, text: now, cursor: -1, languageId }, made);
    if (!use) return found;
    found.push(use.text.trim());
    made.push({ path, before: now.slice(use.start, use.end), after: use.text });
    now = now.slice(0, use.start) + use.text + now.slice(use.end);
  }
  return found;
}

const taxToVat = history('const tax = 1;', 'const vat = 1;');
const countToTotal = history('  const count = 1;', '  const total = 1;');

test('every use in code is renamed, even two in one line', async () => {
  const text = `const vat = 1;\nadd(tax, tax);\nlog(\`\${tax} tax\`);\nreturn taxes + tax;\n`;
  expect(await lines(text, taxToVat)).toEqual(['add(vat, vat);', `log(\`\${vat} tax\`);`, 'return taxes + vat;']);
});

test('nothing is renamed while the cursor is in the middle of the new name', async () => {
  const text = 'const vatotal = 1;\nlog(total);\n';
  const place = { path: 'a.ts', languageId: 'typescript', text };
  const useAt = async (cursor: number) =>
    (await nextUse({ ...place, cursor }, history('const total = 1;', 'const vatotal = 1;'))).use?.text;
  expect(await useAt(text.indexOf('total'))).toBeUndefined();
  expect(await useAt(text.indexOf(' = 1'))).toBe('log(vatotal);');
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
])('a use is renamed in %s', async (_, text, expected) => {
  expect(await lines(`const vat = 1;\n${text}\n`, taxToVat)).toEqual([expected]);
});

test.each([
  ['for x in tax:', 'for x in vat:'],
  ['if tax:', 'if vat:'],
  ['class A(tax):', 'class A(vat):'],
  ['def f(a=tax):', 'def f(a=vat):'],
  ['def f() -> tax:', 'def f() -> vat:'],
])('a use is renamed in Python: %s', async (text, expected) => {
  const edits = history('class tax:', 'class vat:', 'a.py');
  expect(await lines(`class vat:\n    pass\n\n${text}\n    pass\n`, edits, 'python')).toEqual([expected]);
});

test('a use is renamed as a decorator in Python', async () => {
  const text = 'def vat(f):\n    return f\n\n@tax\ndef g():\n    pass\n';
  expect(await lines(text, history('def tax(f):', 'def vat(f):', 'a.py'), 'python')).toEqual(['@vat']);
});

test('comments and strings keep the name, also if they have several lines, and so do properties of other objects', async () => {
  const text = "const vat = 1;\n// the tax\n/*\n * The tax of it.\n */\nlog('tax', `\n tax\n`);\nitem.tax = 2;\n";
  expect(await lines(text, taxToVat)).toEqual([]);
  const documented = 'def vat():\n    """\n    The tax of it.\n    """\n';
  expect(await lines(documented, history('def tax():', 'def vat():', 'a.py'), 'python')).toEqual([]);
  const page = 'const vat = 1;\nreturn <p>The tax, {a}</p>;\nreturn <b>tax</b>;\nreturn <p>\n  Of tax.\n</p>;\n';
  expect(await lines(page, taxToVat, 'typescriptreact')).toEqual([]);
  expect(await lines('const vat = 1;\nreturn <p>{tax}</p>;\n', taxToVat, 'typescriptreact')).toEqual([
    'return <p>{vat}</p>;',
  ]);
});

test.each([
  ['JSON.parse', 'typescript', 'function parse(t) {', 'function parseArgs(t) {', 'const c = JSON.parse(text);'],
  ['console.log', 'typescript', 'function log(t) {', 'function report(t) {', 'console.log(1);'],
  ['read of a file', 'python', 'def read(p):', 'def read_config(p):', '    return f.read()'],
  ['Set of a struct', 'go', 'func Set(m int) {', 'func SetAll(m int) {', '\tx.Set(1)'],
  ['sort of a namespace', 'cpp', 'struct sort {', 'struct order {', 'std::sort(a);'],
])('the method of another object keeps its name: %s', async (_, languageId, before, after, use) => {
  expect(await lines(`${after}\n}\n${use}\n`, history(before, after), languageId)).toEqual([]);
});

test('a method is renamed after its own object or class, and nowhere else', async () => {
  const text = 'class A:\n    def make(self):\n        self.build()\n        other.build()\n        build()\n';
  expect(await lines(text, history('    def build(self):', '    def make(self):', 'a.py'), 'python')).toEqual([
    'self.make()',
  ]);
  const php =
    '<?php\nclass A {\n  public function size() {\n    return count($this->items) + $this->count();\n  }\n}\n';
  const edits = history('  public function count() {', '  public function size() {', 'a.php');
  expect(await lines(php, edits, 'php')).toEqual(['return count($this->items) + $this->size();']);
  const rust =
    'impl A {\n    fn make(&self) {\n        self.build();\n        Self::build(self);\n        b::build();\n    }\n}\n';
  expect(await lines(rust, history('    fn build(&self) {', '    fn make(&self) {', 'a.rs'), 'rust')).toEqual([
    'self.make();',
    'Self::make(self);',
  ]);
});

test.each([
  ['a parameter', 'function f(tax) {\n  return tax;\n}'],
  ['a parameter of an arrow', 'map(tax => tax + 1);'],
  ['a typed parameter', 'function f(tax: number) {\n  return tax;\n}'],
  ['a parameter in a line of its own', 'function f(\n  a,\n  tax,\n) {\n  return tax;\n}'],
  ['a loop', 'for (const tax of taxes) log(tax);'],
  ['a caught error', 'try {\n} catch (tax) {\n  log(tax);\n}'],
  ['a binding pattern', 'function g() {\n  const { tax } = props;\n  return tax;\n}'],
  ['a pattern in a loop', 'for (const [a, tax] of list) log(tax);'],
  ['a pattern as a parameter', 'function C({ a, tax }) {\n}'],
  ['a pattern as a parameter of an arrow', 'const C = ({ a, tax }: Props) => tax;'],
])('a name that another scope declares stays: %s', async (_, text) => {
  expect(await lines(`const vat = 1;\nlog(tax);\n${text}\n`, taxToVat)).toEqual(['log(vat);']);
});

test.each([
  ['another declaration', 'let tax = 2;'],
  ['a function', 'function tax() {}'],
  ['a binding pattern of several lines', 'const {\n  a,\n  tax,\n} = props;'],
  ['a binding pattern with another name', 'const { a: tax } = props;'],
  ['a binding pattern within another', 'const { a: { tax } } = props;'],
  ['a pattern of a list', 'const [tax, setTax] = useState(0);'],
  ['several in one declaration', 'let a, tax;'],
  ['an import', "import { tax } from './b';"],
  ['an import of several lines', "import {\n  a,\n  tax,\n} from './b';"],
  ['an import by another name', "import { a as tax } from './b';"],
  ['a name from require()', "const { tax } = require('./b');"],
  ['what cannot be read', 'function f( { const tax = ; log(tax)'],
])('if the same scope also declares the old name, nothing is certain: %s', async (_, text) => {
  const { use, isNamesake } = await nextUse(
    { path: 'a.ts', languageId: 'typescript', text: `const vat = 1;\nlog(tax);\n${text}\n`, cursor: -1 },
    taxToVat,
  );
  expect(use).toBeUndefined();
  expect(isNamesake({ start: 15, end: 24, text: 'log(vat);' })).toBe(true);
});

test('a member that a class may inherit is no namesake, unlike a member that it declares', async () => {
  const text = `class Base {
  total = 0;
}
class Sub extends Base {
  more = () => this.sum + 1;
}
class Other {
  sum = 3;
  less = () => this.sum - 1;
}
`;
  const place = { path: 'a.ts', languageId: 'typescript', cursor: -1, text };
  const { use, isNamesake } = await nextUse(place, history('  sum = 0;', '  total = 0;'));
  expect(use).toBeUndefined();
  const renamed = (line: string) => {
    const start = text.indexOf(line);
    return isNamesake({ start, end: start + line.length, text: line.replace('sum', 'total') });
  };
  expect(renamed('this.sum + 1')).toBe(false);
  expect(renamed('this.sum - 1')).toBe(true);
});

test('without a grammar, nothing is certain, and there are no namesakes if two lines declare the name', async () => {
  const text = 'let total = 1\nprint(count)\n';
  const next = (more: string) =>
    nextUse(
      { path: 'a.lua', languageId: 'lua', text: text + more, cursor: -1 },
      history('let count = 1', 'let total = 1', 'a.lua'),
    );
  const edit = { start: 14, end: 26, text: 'print(total)' };
  expect((await next('')).use).toBeUndefined();
  expect((await next('')).isNamesake(edit)).toBe(false);
  expect((await next('  let count = 2\n')).isNamesake(edit)).toBe(true);
});

test('when a class is renamed, its constructor follows', async () => {
  const text =
    'public class Vat {\n  public Tax(int a) {\n  }\n  private Tax other;\n  Tax of() {\n    return new Tax(1);\n  }\n}\n';
  expect(await lines(text, history('public class Tax {', 'public class Vat {', 'Vat.java'), 'java')).toEqual([
    'public Vat(int a) {',
    'private Vat other;',
    'Vat of() {',
    'return new Vat(1);',
  ]);
});

test('the whole document is searched for another declaration', async () => {
  const far = 'step();\n'.repeat(8000);
  const text = (name: string) => `const ${name} = 2;\n${far}log(tax);\nconst vat = 1;\n`;
  expect(await lines(text('other'), taxToVat)).toEqual(['log(vat);']);
  expect(await lines(text('tax'), taxToVat)).toEqual([]);
});

test.each([
  ['a parameter', 'function f(total) {\n  const total = 1;\n  return count + total;\n}\n'],
  ['an import', "import { total } from './b';\n  const total = 1;\nlog(count);\n"],
  ['a pattern', '  const total = 1;\nconst { total } = props;\nlog(count);\n'],
])('nothing is certain if the new name is already declared: %s', async (_, text) => {
  expect(await lines(text, countToTotal)).toEqual([]);
});

test('the key of an object keeps its name', async () => {
  const object = 'function f() {\n  const total = 1;\n  g({ a, count });\n  return {\n    count,\n    b,\n  };\n}\n';
  expect(await lines(object, countToTotal)).toEqual(['g({ a, count: total });', 'count: total,']);
  expect(await lines('  const total = 1;\nexport { count };\n', countToTotal)).toEqual(['export { total as count };']);
  const rust = 'fn f() -> A {\n    let total = 1;\n    A { count }\n}\n';
  expect(await lines(rust, history('    let count = 1;', '    let total = 1;'), 'rust')).toEqual([
    'A { count: total }',
  ]);
});

test('a loop with the name as its bound does not declare it', async () => {
  const text = 'const most = 9;\nlog(top);\nfor (let i = 0; i < top; i++) {\n  log(top);\n}\n';
  expect(await lines(text, history('const top = 9;', 'const most = 9;'))).toEqual([
    'log(most);',
    'for (let i = 0; i < most; i++) {',
    'log(most);',
  ]);
});

test('nothing follows if the renamed name is not a declaration', async () => {
  const text = 'const vat = 1;\nlog(tax);\n';
  expect(await lines(text, history('const tax = 1;', 'const vat = 2;'))).toEqual([]);
  expect(await lines(text, history('log(tax);', 'log(vat);'))).toEqual([]);
  expect(await lines(text, history('const tax = 1;', ''))).toEqual([]);
});

const declarations: Record<string, string> = {
  ...{ python: 'def tax(): return 1', rust: 'pub static tax: u8 = 1;', c: 'int tax = 1;', go: 'var tax = 1' },
};

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
])('another file follows if it imports the name: %s, %s', async (languageId, path, other, imported) => {
  const declaration = declarations[languageId] ?? 'export const tax = 1;';
  const edits = history(declaration, declaration.replace('tax', 'vat'), path);
  const text = `${imported}\nlog(tax);\n`;
  const followed = await lines(text, edits, languageId, other);
  expect(followed.at(-1)).toBe('log(vat);');
  expect(followed.join('\n')).not.toContain('tax');
  expect(await lines('log(tax);\n', edits, languageId, `else/${other}`)).toEqual([]);
});

test.each([
  ['from a package', "import { tax } from 'csv';\nlog(tax);"],
  ['from a package of that name', "import { tax } from 'a';\nlog(tax);"],
  ['from another file', "import { tax } from './b';\nlog(tax);"],
  ['and another has the new one', "import { tax } from '../a';\nimport { vat } from './b';\nlog(tax);"],
  ['and the new one is declared', "import { tax } from '../a';\nconst vat = 2;\nlog(tax);"],
  ['of a name that is not exported', "import { tax } from '../a';\nlog(tax);", 'const'],
])('another file does not follow: %s', async (_, text, keyword = 'export const') => {
  expect(await lines(text, history(`${keyword} tax = 1;`, `${keyword} vat = 1;`), 'typescript', 'lib/c.ts')).toEqual(
    [],
  );
});

test('the uses in two files follow, one file after the other', async () => {
  const edits = history('export const baseRate = 0.19;', 'export const vatRate = 0.19;', 'prices.ts');
  const changed = (text: string) => text.split('\n').filter((line) => line.includes('baseRate'));
  const renamed = (text: string) => changed(text).map((line) => line.replaceAll('baseRate', 'vatRate').trim());
  const [first = '', ...rest] = prices.split('\n');
  const text = [first.replace('baseRate', 'vatRate'), ...rest].join('\n');
  expect(await lines(text, edits)).toEqual(renamed(rest.join('\n')));
  expect(await lines(cart, edits, 'typescript', 'cart.ts')).toEqual(renamed(cart));
});

test('the next use below the cursor comes first, without uses in its line and dismissed ones', async () => {
  const text = 'log(tax);\nconst vat = 1;\nadd(tax);\nend(tax);\n';
  const at = async (cursor: number, isDismissed = false) =>
    (
      await nextUse({ path: 'a.ts', text, cursor, languageId: 'typescript' }, taxToVat, ({ text: now }) => {
        return isDismissed && now === 'end(vat);';
      })
    ).use?.text;
  expect(await at(text.indexOf('vat'))).toBe('add(vat);');
  expect(await at(text.indexOf('add(tax)') + 2)).toBe('end(vat);');
  expect(await at(text.indexOf('add(tax)') + 2, true)).toBe('log(vat);');
});

test('when a document is closed, the tree of its text before a rename is forgotten, too', async () => {
  const text = LongText.of('const vat = 1;\nlog(tax);\n');
  const document = { uri: 'uses:a.ts', path: 'a.ts', languageId: 'typescript', text };
  expect(await renamesIn([document], taxToVat)).toHaveLength(1);
  const before = { ...document, uri: 'uses:a.ts#before' };
  expect(keptTreeOf(before)).not.toBeNull();
  forgetTree(document.uri);
  expect(keptTreeOf(before)).toBeNull();
});
