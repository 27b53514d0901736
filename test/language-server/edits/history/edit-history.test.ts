// Which edits are remembered while the user types.
import { expect, test } from 'vitest';
import { type DocumentChange, OpenDocument } from '../../../../language-server/documents/open-document.ts';
import { EditHistory } from '../../../../language-server/edits/history/edit-history.ts';
import { withPlainBreaks } from '../../../../language-server/edits/text/plain-breaks.ts';
import { random } from '../../../support/random.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i};`).join('\n');

/** A person at an editor, with a clock that the test moves. */
function editing(texts: Record<string, string>) {
  let ms = 0;
  const history = new EditHistory(() => ms);
  const documents = new Map(
    Object.entries(texts).map(([uri, text]) => [uri, OpenDocument.create(uri, 'typescript', 1, text)]),
  );
  const document = (uri: string) => documents.get(uri) as OpenDocument;
  const person = {
    history,
    wait: (by: number) => {
      ms += by;
    },
    /** Replaces the first occurrence of a text. */
    replace: (old: string, now: string, uri = 'a.ts') => {
      const { text, version } = document(uri);
      const start = text.toString().indexOf(old);
      expect(start, `"${old}" is in ${uri}`).not.toBe(-1);
      const range = { start: document(uri).positionAt(start), end: document(uri).positionAt(start + old.length) };
      const record = (change: DocumentChange) => history.record(change);
      OpenDocument.update(document(uri), [{ range, text: now }], version + 1, record);
    },
    insert: (after: string, added: string, uri = 'a.ts') => {
      const { text, version } = document(uri);
      const at = document(uri).positionAt(text.toString().indexOf(after) + after.length);
      const record = (change: DocumentChange) => history.record(change);
      OpenDocument.update(document(uri), [{ range: { start: at, end: at }, text: added }], version + 1, record);
    },
    /** Types after a text, one key every 100 ms. */
    type: (after: string, keys: string) => {
      let before = after;
      for (const key of keys) {
        person.replace(before, before + key);
        before += key;
        person.wait(100);
      }
    },
    edits: () => history.edits((uri) => documents.get(uri)?.text),
  };
  return person;
}

test('typing in a line is one edit of that line', () => {
  const person = editing({ 'a.ts': 'let sum = 1;\nlog(sum);\n' });
  person.replace('sum', 't');
  person.wait(100);
  person.type('let t', 'otal');
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: 'let sum = 1;', after: 'let total = 1;' }]);
});

test('a pause in the middle of a word does not divide the edit', () => {
  const person = editing({ 'a.ts': 'let sum = 1;\nlog(sum);\n' });
  person.replace('sum', 'to');
  person.wait(5000);
  person.type('let to', 'tal');
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: 'let sum = 1;', after: 'let total = 1;' }]);
});

test('changes within eight lines and one second are one edit; later or farther ones are separate', () => {
  const person = editing({ 'a.ts': numbered(60) });
  person.replace('line 3;', 'row 3;');
  person.wait(900);
  person.replace('line 6;', 'row 6;');
  expect(person.edits()).toMatchObject([
    { uri: 'a.ts', before: 'line 3;\nline 4;\nline 5;\nline 6;', after: 'row 3;\nline 4;\nline 5;\nrow 6;' },
  ]);
  person.wait(900);
  person.replace('line 40;', 'row 40;');
  person.wait(1100);
  person.replace('line 42;', 'row 42;');
  expect(person.edits().slice(1)).toMatchObject([
    { uri: 'a.ts', before: 'line 40;', after: 'row 40;' },
    { uri: 'a.ts', before: 'line 42;', after: 'row 42;' },
  ]);
});

const added = 'export function total(items) {\n  return items.length;\n}\n';

test.each([
  ['a name that was written a while ago is renamed', 'items', 'lines', 'export function total(items) {'],
  ['a parameter is added', 'total(items', 'total(items, rate', 'export function total(items) {'],
  ['a part of a line is rewritten', 'items.length', 'items.size', '  return items.length;'],
])('when %s in lines that were just added, that is an edit of its own', (_, old, now, before) => {
  for (const text of ['', 'first();\n\nlast();\n']) {
    const person = editing({ 'a.ts': text });
    person.replace(text === '' ? '' : 'first();\n', text === '' ? added : `first();\n${added}`);
    person.wait(1500);
    person.replace(old, now);
    expect(person.edits().at(-1)).toMatchObject({ before, after: before.replace(old, now) });
  }
});

test('text written after a pause continues the addition, and if all of the addition is removed, no edit is left', () => {
  const person = editing({ 'a.ts': 'first();\n' });
  person.replace('first();\n', 'first();\nwrite\n');
  person.insert('write', '()'); // as the editor closes the bracket
  person.wait(5000);
  person.type('write(', 'one');
  person.wait(5000);
  person.type('write(one)', ';');
  expect(person.edits()).toMatchObject([{ before: '', after: 'write(one);' }]);
  person.wait(5000);
  person.replace('write(one);\n', '');
  expect(person.edits()).toEqual([]);
});

test('a rename half a second after a large paste is an edit', () => {
  const person = editing({ 'a.ts': '' });
  person.replace('', `let sum = 1;\n${numbered(30)}\n`);
  expect(person.history.isBulk('a.ts')).toBe(true);
  person.wait(500);
  person.replace('sum', 't');
  person.wait(100);
  person.type('let t', 'otal');
  expect(person.history.isBulk('a.ts')).toBe(false);
  expect(person.edits()).toMatchObject([{ before: 'let sum = 1;', after: 'let total = 1;' }]);
});

test('text from several cursors at once is one edit per place', () => {
  const person = editing({ 'a.ts': numbered(60) });
  for (const key of 'xyz')
    for (const line of [5, 25, 45]) {
      const typed = 'xyz'.slice(0, 'xyz'.indexOf(key));
      person.replace(`${typed}line ${line};`, `${typed}${key}line ${line};`);
    }
  expect(person.edits().map(({ after }) => after)).toEqual(['xyzline 5;', 'xyzline 25;', 'xyzline 45;']);
});

test('added lines have no text before the edit, and removed lines have none after it', () => {
  const person = editing({ 'a.ts': 'a();\nb();\nc();\n' });
  person.replace('a();\n', 'a();\nnew();\n');
  person.wait(2000);
  person.replace('c();\n', '');
  expect(person.edits()).toMatchObject([
    { uri: 'a.ts', before: '', after: 'new();' },
    { uri: 'a.ts', before: 'c();', after: '' },
  ]);
});

test('an undone edit is forgotten', () => {
  const person = editing({ 'a.ts': 'let sum = 1;\nlog(sum);\n' });
  person.replace('sum', 'total');
  person.wait(3000);
  person.replace('total', 'sum');
  expect(person.edits()).toEqual([]);
});

test('edits move when lines above them change, and keep the order in which they were made', () => {
  const person = editing({ 'a.ts': numbered(40) });
  person.replace('line 30;', 'row 30;');
  person.wait(2000);
  person.replace('line 2;\n', 'line 2;\nnew;\nlines;\n');
  person.wait(2000);
  person.replace('row 30;', 'row thirty;');
  expect(person.edits()).toMatchObject([
    { uri: 'a.ts', before: '', after: 'new;\nlines;' },
    { uri: 'a.ts', before: 'line 30;', after: 'row thirty;' },
  ]);
});

test('in a file with Windows line ends, the edit of a line contains no line ends', () => {
  const person = editing({ 'a.ts': 'let sum = 1;\r\nlog(sum);\r\n' });
  person.replace('sum', 'total');
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: 'let sum = 1;', after: 'let total = 1;' }]);
});

test('in a file with Windows line ends, edits of several lines or of an added line contain no carriage returns', () => {
  const person = editing({ 'a.ts': 'one();\r\ntwo();\r\nthree();\r\n' });
  person.replace('two();', 'two();\r\nmore();');
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: '', after: 'more();' }]);
  person.replace('one();', 'once();');
  person.replace('three();', 'thrice();');
  expect(person.edits().at(-1)?.after).not.toContain('\r');
});

test('text from a program is not an edit, and neither are its first pieces', () => {
  const person = editing({ 'a.ts': numbered(80) });
  person.replace('line 5;', 'mine 5;');
  person.wait(5000);
  for (let line = 20; line < 40; line++) person.replace(`line ${line};`, `an agent wrote line ${line} anew;`);
  expect(person.history.isBulk('a.ts')).toBe(true);
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: 'line 5;', after: 'mine 5;' }]);
  person.wait(5000);
  person.replace('line 60;', 'mine 60;');
  expect(person.history.isBulk('a.ts')).toBe(false);
  expect(person.edits().map(({ after }) => after)).toEqual(['mine 5;', 'mine 60;']);
});

test('when a program writes, earlier edits of the user are kept, and so are edits in another document', () => {
  const person = editing({ 'a.ts': numbered(80), 'b.ts': numbered(80), 'c.ts': '' });
  person.type('line 5', 'five');
  person.wait(1300);
  person.type('line 5five', 'teen');
  person.replace('line 7;', 'mine 7;', 'b.ts');
  person.wait(900);
  const writes = (uri: string) => {
    for (let line = 20; line < 40; line++) person.replace(`line ${line};`, `an agent wrote line ${line} anew;`, uri);
  };
  writes('a.ts');
  person.replace('', 'new();\n'.repeat(9), 'c.ts');
  expect(person.edits().map(({ uri, after }) => [uri, after])).toEqual([
    ['a.ts', 'line 5fiveteen;'],
    ['b.ts', 'mine 7;'],
  ]);
  person.replace('line 8;', 'mine 8;', 'b.ts');
  expect(person.history.isBulk('b.ts')).toBe(false);
  expect(person.edits().at(-1)?.after).toContain('mine 8;');
});

test('an edit in a line that is too long for a person to edit is not remembered', () => {
  const person = editing({ 'a.ts': `one();\n[${'1, '.repeat(400)}0];\ntwo();\n` });
  person.replace('0];', '2];');
  person.wait(5000);
  person.replace('two', 'zwei');
  expect(person.edits()).toMatchObject([{ uri: 'a.ts', before: 'two();', after: 'zwei();' }]);
});

test('a document with a secret leaves no edits, not even earlier ones', () => {
  const secret = `AKIA${'QWERTZUIOPASDFG2'}`;
  const person = editing({ 'a.ts': 'let key = "";\nlet sum = 1;\n', '.env': 'TOKEN=1\n' });
  person.replace('sum', 'total');
  expect(person.edits()).toHaveLength(1);
  person.replace('key = ""', `key = "${secret}"`);
  expect(person.edits()).toEqual([]);
  person.replace(secret, '');
  expect(JSON.stringify(person.edits())).not.toContain(secret);
  person.replace('TOKEN=1', 'TOKEN=2', '.env');
  expect(person.edits().map(({ uri }) => uri)).not.toContain('.env');
});

test('a document into which a program has written a secret leaves no edits', () => {
  const secret = `AKIA${'QWERTZUIOPASDFG2'}`;
  const person = editing({ 'a.ts': 'let key = "";\nlet sum = 1;\n' });
  person.replace('sum', 'total');
  person.wait(60_000);
  person.replace('let total', `${'// more;\n'.repeat(30)}let key2 = "${secret}";\nlet total`);
  expect(person.edits()).toEqual([]);
  person.replace(secret, '');
  expect(JSON.stringify(person.edits())).not.toContain(secret);
});

test('edits are forgotten after ten minutes, and when their document is closed', () => {
  const person = editing({ 'a.ts': numbered(9), 'b.ts': numbered(9) });
  person.replace('line 3;', 'row 3;');
  person.wait(2000);
  person.replace('line 3;', 'row 3;', 'b.ts');
  person.history.forget('b.ts');
  expect(person.edits().map(({ uri }) => uri)).toEqual(['a.ts']);
  person.wait(11 * 60_000);
  expect(person.edits()).toEqual([]);
});

test("after random edits, each edit's new text is in the document, and its old text was in an earlier version", () => {
  const pieces = ['', 'a', 'word ', '\n', 'two\nlines\n', '\r\n', '    '];
  for (let seed = 1; seed <= 60; seed++) {
    const r = random(seed);
    let ms = 0;
    const history = new EditHistory(() => ms);
    const document = OpenDocument.create('a.ts', 'typescript', 1, numbered(r.pick([0, 3, 30, 300])));
    const plain = () => withPlainBreaks(document.text.toString());
    const texts = [plain()];
    for (let version = 2; version < 60; version++) {
      const start = r.below(document.text.length + 1);
      const end = Math.min(document.text.length, start + r.pick([0, 0, 1, 5, 40]));
      const range = { start: document.positionAt(start), end: document.positionAt(end) };
      OpenDocument.update(document, [{ range, text: r.pick(pieces) }], version, (change) => history.record(change));
      texts.push(plain());
      ms += r.pick([10, 100, 900, 3000]);
      const now = texts.at(-1) ?? '';
      for (const { before, after } of history.edits(() => document.text)) {
        expect(now).toContain(after);
        expect(texts.some((text) => text.includes(before))).toBe(true);
      }
    }
  }
});
