// A model's answers are kept when the tool is stopped, and are used only for the same questions.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AskedFile, shortOf } from '../../../../lab/bench/next-edit/asked-file.ts';

const said = (of: number) => ({ of, candidates: [0], rows: [[of, 0.5]] });

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-asked-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('answers from before the tool was stopped are kept, except for an unfinished line', () => {
  const path = join(folder, 'cases.asked');
  const first = new AskedFile(path, 'these');
  first.add(said(0));
  first.add(said(2));
  appendFileSync(path, '{"of":4,"cand');
  const second = new AskedFile(path, 'these');
  expect(second.cases).toEqual([said(0), said(2)]);
  second.add(said(4));
  expect(new AskedFile(path, 'these').cases).toEqual([said(0), said(2), said(4)]);
});

test('answers to different questions are neither used nor lost', () => {
  const path = join(folder, 'cases.asked');
  new AskedFile(path, 'these').add(said(0));
  const before = readFileSync(path, 'utf8');
  expect(() => new AskedFile(path, 'others')).toThrow('cases.asked has answers about other cases');
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('equal questions have equal digests, and others do not', () => {
  expect(shortOf(['a', [1, 2]])).toBe(shortOf(['a', [1, 2]]));
  expect(shortOf(['a', [1, 2]])).not.toBe(shortOf(['a', [2, 1]]));
  expect(shortOf([Uint8Array.of(1)])).not.toBe(shortOf([Uint8Array.of(2)]));
});
