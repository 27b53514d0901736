import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readJsonLines } from '../../../lab/tools/input.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-input-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('lines of JSON are read from very long files', () => {
  const path = join(folder, 'cases.jsonl');
  writeFileSync(path, `${JSON.stringify({ text: 'x'.repeat(65 * 2 ** 20) })}\n\n{"text": ""}\n`);
  expect(readJsonLines(path).map(({ entry, line }) => [String(entry.text).length, line])).toEqual([
    [65 * 2 ** 20, 1],
    [0, 3],
  ]);
});

test('the error for a file that is missing or not JSON names it', () => {
  const path = join(folder, 'broken.jsonl');
  writeFileSync(path, '{"a": 1}\n3\n');
  expect(() => readJsonLines(path)).toThrow(`${path}:2: this is not an object`);
  expect(() => readJsonLines(join(folder, 'none.jsonl'))).toThrow('cannot read');
});
