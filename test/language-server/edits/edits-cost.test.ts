// A document may contain anything, and the server answers nobody else while it looks for edits. So the time of a search
// must be at most proportional to the length of the text.
import { expect, test } from 'vitest';
import { type DocumentChange, OpenDocument } from '../../../language-server/documents/open-document.ts';
import { likeliest } from '../../../language-server/edits/decision/propose.ts';
import { EditHistory } from '../../../language-server/edits/history/edit-history.ts';
import { cpuMs, longestTurnMs, msOf } from '../../support/cpu-time.ts';
import { nextUse } from '../../support/next-use.ts';

const size = 65_536;
// An idle machine needs at most about 70 ms.
const maxCpuMs = 300;

const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
const counted = (part: (i: number) => string) => filled(Array.from({ length: size / 8 }, (_, i) => part(i)).join(''));

const texts: Record<string, string> = {
  'one line of a name': filled('sum, '),
  'one line of calls': filled('add(sum, 1);'),
  'one line of assignments': filled('x = '),
  'one line of code without spaces': counted((i) => `function f${i}(a,b){return sum(a+${i},b)}`),
  'one line of names that differ': `import { ${counted((i) => `w${i}, `)} } from "x";`,
  'one line of spaces': `f()${filled(' ')}=`,
  'one line of brackets': filled('('),
  'lines alike': filled('add(sum, 1);\n'),
  'lines that differ': counted((i) => `add(sum, ${i});\n`),
  'empty lines': filled('\n'),
  'brackets in lines': filled('[\n'),
  'names in open brackets': `${'[\n'.repeat(size / 4)}${'add(sum);\n'.repeat(199)}`,
  'lines of spaces': filled(`${' '.repeat(300)}\n`),
};

const edits = [
  ['a rename', 'let sum = 0;', 'let total = 0;'],
  ['an argument', 'add(sum, 1);', 'add(sum, 1, x);'],
  ['a removal', 'import sum from "x";', ''],
  ['an insertion', '', 'add(sum, 3);'],
  ['a new name', 'x = a + b;', 'const s = a + b;\nx = s;'],
] as const;

test.each(edits)('in 64 KiB of any text, the search for the edit after %s is fast', async (_, before, after) => {
  const history = [{ path: 'a.ts', before, after }];
  for (const [name, text] of Object.entries(texts)) {
    const document = { path: 'a.ts', text: `${after}\n${text}\n`, cursor: 3, history };
    expect(await cpuMs(() => likeliest(document, 2), maxCpuMs), name).toBeLessThan(maxCpuMs);
  }
});

const rename = [{ path: 'a.ts', before: 'let sum = 0;', after: 'let total = 0;' }];
const nextIn = (text: string) => nextUse({ path: 'a.ts', text, cursor: 3, languageId: 'typescript' }, rename);

test('in 64 KiB of any text, the search for uses of a renamed name never blocks other requests for long', async () => {
  for (const [name, text] of Object.entries(texts)) {
    const find = () => nextIn(`let total = 0;\n${text}\n`);
    expect(await longestTurnMs(find, maxCpuMs), name).toBeLessThan(maxCpuMs);
  }
});

test('a line that is too long for a person to edit is ignored', async () => {
  const long = `x(sum);${'y(1);'.repeat(200)}`;
  expect((await nextIn('let total = 0;\nadd(sum);\n')).use).toMatchObject({ text: 'add(total);' });
  expect((await nextIn(`let total = 0;\n${long}\n`)).use).toBeUndefined();
});

test('after an edit in a line of 900 KB, the search for the next one is fast', async () => {
  const text = `let a = 1;\n[${'{"id":1,"v":2},'.repeat(60_000)}0]\n`;
  const document = OpenDocument.create('file:///a.ts', 'json', 1, text);
  let ms = 0;
  const history = new EditHistory(() => ms);
  for (let version = 2; version < 8; version++) {
    const at = { line: 1, character: 100_000 * version };
    ms += 5000;
    OpenDocument.update(document, [{ range: { start: at, end: at }, text: 'q' }], version, (change) =>
      history.record(change),
    );
  }
  const look = () => {
    const past = history.edits(() => document.text).map((each) => ({ ...each, path: 'a.ts' }));
    return likeliest({ path: 'a.ts', text: text.slice(0, 60_000), cursor: 3, history: past }, 2);
  };
  expect(await cpuMs(look, maxCpuMs)).toBeLessThan(maxCpuMs);
});

test('recording ten thousand changes takes little longer than making them', async () => {
  const line = 'const value = sum(other);\n';
  const range = (i: number) => ({ start: { line: i, character: 14 }, end: { line: i, character: 17 } });
  const changes = Array.from({ length: 10_000 }, (_, i) => ({ range: range(i), text: 'total' }));
  const update = (onChange?: (change: DocumentChange) => void) =>
    OpenDocument.update(
      OpenDocument.create('file:///a.ts', 'typescript', 1, line.repeat(10_000)),
      changes,
      2,
      onChange,
    );
  const remember = () => {
    const history = new EditHistory();
    update((change) => history.record(change));
  };
  const limit = 3 * msOf(update) + maxCpuMs;
  expect(await cpuMs(remember, limit)).toBeLessThan(limit);
});
