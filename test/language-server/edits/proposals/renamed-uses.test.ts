// Which uses follow a renamed declaration, and where a rule must not be so sure.
import { expect, test } from 'vitest';
import { renamedUse } from '../../../../language-server/edits/proposals/renamed-uses.ts';

const history = (before: string, after: string) => [{ path: 'a.ts', before, after }];

/** The new lines, one after the other, as if each were made. */
function lines(text: string, before: string, after: string, languageId = 'typescript', isOther = false): string[] {
  const found: string[] = [];
  for (let now = text; found.length < 20; ) {
    const edit = renamedUse({ text: now, cursor: -1, languageId, isOther }, history(before, after), () => false);
    if (!edit) return found;
    found.push(edit.text.trim());
    now = now.slice(0, edit.start) + edit.text + now.slice(edit.end);
  }
  return found;
}

test('each use in code is renamed, twice in a line, too', () => {
  const text = `const vat = 1;\nadd(tax, tax);\nlog(\`\${tax} tax\`);\nreturn taxes + tax;\n`;
  expect(lines(text, 'const tax = 1;', 'const vat = 1;')).toEqual([
    'add(vat, vat);',
    `log(\`\${vat} tax\`);`,
    'return taxes + vat;',
  ]);
});

test('not in comments and strings, nor as the property of something else', () => {
  const text = "const vat = 1;\n// the tax\nlog('tax');\nitem.tax = 2;\n";
  expect(lines(text, 'const tax = 1;', 'const vat = 1;')).toEqual([]);
});

test('a function or a type is renamed behind a dot, too', () => {
  const text = 'def make(self):\n    pass\n\nself.build()\n';
  expect(lines(text, 'def build(self):', 'def make(self):', 'python')).toEqual(['self.make()']);
});

test.each([
  ['another declaration', 'const vat = 1;\nlet tax = 2;\nlog(tax);\n'],
  ['a parameter', 'const vat = 1;\nfunction f(tax) {\n  return tax;\n}\n'],
  ['a parameter of an arrow', 'const vat = 1;\nmap(tax => tax + 1);\n'],
  ['a typed parameter', 'const vat = 1;\nfunction f(tax: number) {\n  return tax;\n}\n'],
  ['an assignment', 'const vat = 1;\ntax = 2;\n'],
  ['a loop', 'const vat = 1;\nfor (const tax of taxes) log(tax);\n'],
])('where the old name still has a declaration, nothing is certain: %s', (_, text) => {
  expect(lines(text, 'const tax = 1;', 'const vat = 1;')).toEqual([]);
});

test('a loop up to the name declares nothing', () => {
  const text = 'const most = 9;\nlog(top);\nfor (let i = 0; i < top; i++) {\n  log(top);\n}\n';
  expect(lines(text, 'const top = 9;', 'const most = 9;')).toEqual([
    'log(most);',
    'for (let i = 0; i < most; i++) {',
    'log(most);',
  ]);
});

test('only a rename counts, and only of a declaration', () => {
  const text = 'const vat = 1;\nlog(tax);\n';
  expect(lines(text, 'const tax = 1;', 'const vat = 2;')).toEqual([]);
  expect(lines(text, 'log(tax);', 'log(vat);')).toEqual([]);
  expect(lines(text, 'const tax = 1;', '')).toEqual([]);
});

test('other files follow if the name is exported', () => {
  const text = "import { tax } from '../a';\nlog(tax);\n";
  const made = ["import { vat } from '../a';", 'log(vat);'];
  expect(lines(text, 'export const tax = 1;', 'export const vat = 1;', 'typescript', true)).toEqual(made);
  expect(lines(text, 'const tax = 1;', 'const vat = 1;', 'typescript', true)).toEqual([]);
});

test('the next one below the cursor comes first, and none in its line; a dismissed one is left out', () => {
  const text = 'log(tax);\nconst vat = 1;\nadd(tax);\nend(tax);\n';
  const edits = history('const tax = 1;', 'const vat = 1;');
  const at = (cursor: number, isDismissed = false) =>
    renamedUse({ text, cursor, languageId: 'typescript', isOther: false }, edits, ({ text: now }) => {
      return isDismissed && now === 'end(vat);';
    })?.text;
  expect(at(text.indexOf('vat'))).toBe('add(vat);');
  expect(at(text.indexOf('add(tax)') + 2)).toBe('end(vat);');
  expect(at(text.indexOf('add(tax)') + 2, true)).toBe('log(vat);');
});
