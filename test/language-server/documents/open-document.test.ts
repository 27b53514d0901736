// Compares the server's documents with the library's under random edits.
import { expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { OpenDocument } from '../../../language-server/documents/open-document.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { type Random, random } from '../../support/random.ts';

const pieces = [
  'a',
  'const value = 1;',
  '\n',
  '\r\n',
  '\r',
  '🔥',
  '\n\n',
  '',
  'x'.repeat(300),
  `${'line\n'.repeat(40)}`,
];

/** Lines with all three kinds of line ends, some of them long. */
function sampleText(r: Random, length: number): string {
  let text = '';
  while (text.length < length) text += r.pick(pieces);
  return text;
}

function somePosition(r: Random, document: TextDocument) {
  if (r.chance(0.05)) return { line: r.pick([-1, 0, 1e9, 2 ** 31]), character: r.pick([-5, 0, 2 ** 31]) };
  return document.positionAt(r.below(document.getText().length + 1));
}

test('has the same text and positions as a plain string after random edits', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const r = random(seed);
    const text = sampleText(r, r.pick([0, 10, 1000, 40_000, 120_000]));
    const plain = TextDocument.create('file:///a', 'typescript', 1, text);
    const ours = OpenDocument.create('file:///a', 'typescript', 1, text);
    for (let version = 2; version < 30; version++) {
      const ends = [somePosition(r, plain), somePosition(r, plain)] as const;
      const [start, end] = r.chance(0.5) ? [ends[0], ends[0]] : ends;
      const inserted = r.chance(0.1) ? sampleText(r, 50_000) : r.pick(pieces);
      const changes = r.chance(0.02) ? [{ text: inserted }] : [{ range: { start, end }, text: inserted }];
      TextDocument.update(plain, changes, version);
      OpenDocument.update(ours, changes, version);
      expect(ours.text.toString() === plain.getText(), `seed ${seed}, version ${version}`).toBe(true);
      expect(ours.text).toMatchObject({ length: plain.getText().length, lineCount: plain.lineCount });
      const position = somePosition(r, plain);
      const offset = plain.offsetAt(position);
      expect(ours.offsetAt(position), `seed ${seed}, version ${version}`).toBe(offset);
      const anywhere = r.below(plain.getText().length + 1);
      expect(ours.positionAt(anywhere)).toEqual(plain.positionAt(anywhere));
      expect(ours.text.slice(anywhere, anywhere + 50)).toBe(plain.getText().slice(anywhere, anywhere + 50));
    }
  }
});

test('many changes at once have the same result as one after the other', () => {
  let merged = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const r = random(seed);
    const text = sampleText(r, r.pick([200, 5000, 40_000]));
    const plain = TextDocument.create('file:///a', 'typescript', 1, text);
    const ours = OpenDocument.create('file:///a', 'typescript', 1, text);
    const offsets = Array.from({ length: 400 }, () => r.below(text.length + 1)).toSorted((a, b) => b - a);
    // From the last place to the first. Sometimes a change is out of order or at an invalid position.
    if (r.chance(0.2)) offsets.reverse();
    const changes = Array.from({ length: 200 }, (_, i) => {
      const [end = 0, start = 0] = [offsets[2 * i], offsets[2 * i + 1]];
      const range = { start: plain.positionAt(start), end: plain.positionAt(r.chance(0.5) ? start : end) };
      if (r.chance(0.002)) range.end.character += 1000;
      return { range, text: r.pick(pieces) };
    });
    let calls = 0;
    OpenDocument.update(ours, changes, 2, ({ before, edit, after }) => {
      calls++;
      expect(before.toString().slice(0, edit.start) + edit.text + before.toString().slice(edit.end)).toBe(
        after.toString(),
      );
    });
    TextDocument.update(plain, changes, 2);
    expect(ours.text.toString() === plain.getText(), `seed ${seed}`).toBe(true);
    if (calls === 1) merged++;
  }
  expect(merged).toBeGreaterThan(5);
});

test('replacing a word in 100,000 lines takes no longer than a second', async () => {
  const before = 'const value = sum(other);\n'.repeat(100_000);
  const range = (line: number) => ({ start: { line, character: 14 }, end: { line, character: 17 } });
  const changes = Array.from({ length: 100_000 }, (_, i) => ({ range: range(99_999 - i), text: 'total' }));
  const update = () => {
    const document = OpenDocument.create('file:///a', 'typescript', 1, before);
    OpenDocument.update(document, changes, 2);
    return document;
  };
  expect(await cpuMs(update, 1000)).toBeLessThan(1000);
  expect(update().text.toString()).toBe('const value = total(other);\n'.repeat(100_000));
});

test('an edit does not change the text of an earlier version', () => {
  const document = OpenDocument.create('file:///a', 'typescript', 1, 'one\ntwo');
  const before = document.text;
  OpenDocument.update(
    document,
    [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }, text: '1' }],
    2,
  );
  expect(before.toString()).toBe('one\ntwo');
  expect(document.text.toString()).toBe('1\ntwo');
  expect(before.equals(LongText.of('one\ntwo'))).toBe(true);
  expect(before.equals(document.text)).toBe(false);
});

test('an edit in a document of 10 MB copies little of it', () => {
  const before = LongText.of('const value = compute(input);\n'.repeat(350_000));
  const after = before.with(5_000_000, 5_000_000, 'x');
  const shared = after.chunks.filter((chunk) => before.chunks.includes(chunk)).length;
  expect(after.chunks.length - shared).toBeLessThan(5);
  expect(after.length).toBe(before.length + 1);
});

test('many edits do not split the text into ever smaller chunks', () => {
  let text = LongText.of('const value = compute(input);\n'.repeat(20_000));
  const r = random(7);
  for (let i = 0; i < 3000; i++) {
    const start = r.below(text.length + 1);
    text = r.chance(0.5) ? text.with(start, start, 'abc\n') : text.with(start, Math.min(text.length, start + 300), '');
  }
  expect(text.chunks.length).toBeLessThan(3 + text.length / 1000);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 1e300])(
  'treats the invalid position %s as a valid one',
  (odd) => {
    const document = OpenDocument.create('file:///a', 'typescript', 1, 'one\ntwo');
    for (const position of [
      { line: odd, character: 0 },
      { line: 1, character: odd },
    ]) {
      const offset = document.offsetAt(position);
      expect(Number.isInteger(offset) && offset >= 0 && offset <= 7, `${JSON.stringify(position)}`).toBe(true);
    }
  },
);
