// Tests what `gates places` and `gates record` write to their files, and how `gates` splits the places into halves.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { splitInHalves } from '../../../../lab/tools/gates/fit.ts';
import { placesCommand } from '../../../../lab/tools/gates/places.ts';
import { within } from '../../../../lab/tools/gates/record.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-gates-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a recording keeps as many whole lines before the cursor as fit its context window', () => {
  const prefix = 'one\ntwo\nthree';
  const suffix = '4\n'.repeat(30);
  expect(within({ prefix, suffix }, 100)).toEqual({ prefix, suffix });
  expect(within({ prefix, suffix }, 30)).toEqual({ prefix, suffix: suffix.slice(0, 10) });
  expect(within({ prefix, suffix }, prefix.length).prefix).toBe(prefix);
  expect(within({ prefix, suffix }, 9).prefix).toBe('two\nthree');
  expect(within({ prefix, suffix }, 8).prefix).toBe('three');
});

test("a run with fewer sessions deletes the previous run's session files", async () => {
  writeFileSync(join(folder, 'a.py'), 'def add(a, b):\n    return a + b\n\n\n'.repeat(20));
  const out = join(folder, 'places');
  const sessions = () => readdirSync(out).filter((name) => name.startsWith('session-')).length;
  await placesCommand.run({ out, cuts: '2', sessions: '3' }, [folder]);
  expect(sessions()).toBe(3);
  await placesCommand.run({ out, cuts: '2', sessions: '1' }, [folder]);
  expect(sessions()).toBe(1);
});

test('all places of a file are in the same half', () => {
  const half = splitInHalves(['a.ts', 'a.ts', 'b.ts', 'a.ts', 'c.ts', 'b.ts']);
  expect(['a.ts', 'b.ts', 'c.ts'].map(half)).toEqual([0, 1, 0]);
});
