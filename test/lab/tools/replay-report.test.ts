import { expect, test } from 'vitest';
import { summarize } from '../../../lab/tools/replay-report.ts';
import type { Key } from '../../../lab/tools/replay-typing.ts';

const editor = { status: { health: 'ready' as const }, memory: () => ({ rssMb: 1, peakRssMb: 2 }) };
const key = (text: string | null, firstTextMs: number | null): Key => ({
  ...{ text, replaces: 0, isCancelled: firstTextMs === null, firstTextMs, fullMs: 9, evaluated: 3 },
});

test('a key with an empty answer counts as a key without text', () => {
  const report = summarize(editor, [key('a', 5), key(null, 6), key(null, null)], 0);
  expect(report).toMatchObject({ keystrokes: 3, answeredBeforeNextKey: 2, withText: 1 });
});

test('if no key was answered, no time is reported', () => {
  const report = JSON.parse(JSON.stringify(summarize(editor, [key(null, null)], 0)));
  expect(report).toMatchObject({ answeredBeforeNextKey: 0, fullMs: { p50: null, p95: null, p99: null } });
});
