// `tool replay` with the starter model: what a keystroke costs the engine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeTrace } from '../../../lab/tools/make-trace.ts';
import type { ReplayReport } from '../../../lab/tools/replay-report.ts';
import { formatTrace, readTrace, textAfter } from '../../../lab/tools/trace.ts';

const root = join(__dirname, '../../..');
const program = join(root, 'lab/tools/run.mjs');
const shortTrace = join(root, 'test/fixtures/traces/text-window.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'hearth-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

function node(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

function replay(trace: string, ...args: string[]): ReplayReport {
  const { code, out, err } = node(program, 'replay', trace, '--json', ...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as ReplayReport;
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** 1,800 lines of TypeScript that do not change, so that figures stay comparable. */
const longDocument = () => readFileSync(join(root, 'test/fixtures/long-document.txt'), 'utf8');

/** Forty lines typed into the text after this line. */
function cutTrace(text: string, line: number, autoClose: boolean): string {
  const trace = makeTrace('long.ts', text, { line, lines: 40, intervalMs: 140, autoClose });
  return written(`trace-${line}.jsonl`, formatTrace(trace));
}

test.each<[string, number, boolean]>([
  ['at the beginning of a long document', 250, false],
  ['far down in a long document', 1500, false],
  ['with brackets that the editor closes', 1000, true],
])('typing forty lines %s costs few tokens per key, and no key costs many', (_, line, autoClose) => {
  const text = longDocument();
  expect(text.split('\n').length).toBeGreaterThan(1500);
  const report = replay(cutTrace(text, line, autoClose), '--max-tokens', '4', '--whole');
  expect(report.keystrokes).toBeGreaterThan(500);
  // Without ghost text the trace would show little. How many keys get some depends on the model.
  expect(report.withText).toBeGreaterThan(0.45 * report.keystrokes);
  expect(report.tokensEvaluated.mean).toBeLessThanOrEqual(1.5);
  expect(report.tokensEvaluated.max).toBeLessThanOrEqual(8);
  expect(report.backgroundTokens.mean).toBeGreaterThan(0);
  expect(report.backgroundTokens.mean).toBeLessThanOrEqual(6);
});

test('deleting to the right of the cursor costs no more tokens per key than typing', () => {
  const text = longDocument();
  const rows = text.split('\n');
  const line = rows.findIndex((row, i) => i > 1000 && /^ {4}const \w+ = \w+\(/.test(row));
  let at = 4;
  const edit = (insert: string, more: { deleted?: number; behind?: number } = {}) => {
    const row = { type: 'edit', line, character: at, insert, ...more, t_ms: 1 };
    at += insert.length - (more.behind ?? 0);
    return JSON.stringify(row);
  };
  const word = () => [...'if ('].map((key) => edit(key)).concat(edit('()', { behind: 1 }), edit('', { deleted: 1 }));
  const deletions = (n: number) => Array.from({ length: n }, () => edit('', { deleted: 1 }));
  const edits = [...word(), ...deletions(8), ...word(), edit('x', { deleted: 3 }), ...deletions(4)];
  const open = JSON.stringify({ type: 'open', name: 'long.ts', text });
  const trace = written('deletions.jsonl', [open, ...edits].join('\n'));
  const report = replay(trace, '--max-tokens', '4', '--whole');
  expect(report.keystrokes).toBe(edits.length);
  expect(report.tokensEvaluated.max).toBeLessThanOrEqual(8);
});

test('a trace with brackets closed by the editor ends in the same text, even after it was written and read', () => {
  const source = 'begin\nif (f("a")) {\n  g([1]);\n}\nend\n';
  for (const autoClose of [false, true]) {
    const trace = makeTrace('block.ts', source, { line: 2, lines: 3, intervalMs: 140, autoClose });
    expect(textAfter(trace, trace.edits.length - 1)).toBe(source);
    expect(trace.edits.some(({ behind }) => behind > 0)).toBe(autoClose);
    const path = written('block.jsonl', formatTrace(trace));
    expect(readTrace(path)).toEqual(trace);
    const options = ['--line', '2', '--lines', '3', ...(autoClose ? ['--auto-close'] : [])];
    const { out } = node(program, 'trace', written('block.ts', source), ...options);
    expect(out).toBe(`${readFileSync(path, 'utf8')}\n`);
  }
});

test('replay reports every figure of a trace', () => {
  const report = replay(written('start.jsonl', readFileSync(shortTrace, 'utf8').split('\n').slice(0, 13).join('\n')));
  const times = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
  expect(report).toEqual({
    keystrokes: 12,
    answeredBeforeNextKey: 12,
    withText: expect.any(Number),
    firstTextMs: times,
    fullMs: times,
    tokensEvaluated: { mean: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) },
    backgroundTokens: { mean: expect.any(Number) },
    cacheHitTokens: expect.any(Number),
    peakRssMb: expect.any(Number),
  });
  expect(report.firstTextMs.p50).toBeLessThanOrEqual(report.fullMs.p50);
  expect(report.peakRssMb).toBeGreaterThan(30);
});

test('replay types at the recorded speed on request', () => {
  const trace = written('live.jsonl', readFileSync(shortTrace, 'utf8').split('\n').slice(0, 16).join('\n'));
  const startedAt = performance.now();
  const report = replay(trace, '--mode', 'live', '--max-tokens', '2');
  expect(performance.now() - startedAt).toBeGreaterThan(15 * 140);
  expect(report.keystrokes).toBe(15);
  expect(report.answeredBeforeNextKey).toBeLessThanOrEqual(15);
});

test('typing or accepting the ghost text evaluates no token', () => {
  const trace = written('accept.jsonl', readFileSync(shortTrace, 'utf8').split('\n').slice(0, 31).join('\n'));
  const { accepting } = replay(trace, '--accept', '2');
  expect(accepting?.tokensEvaluated).toBe(0);
  expect(accepting?.accepted).toBeGreaterThan(0);
  expect(accepting?.typedThrough).toBeGreaterThan(0);
});

test('during a long session, replay reports memory each minute and at the end', () => {
  const trace = written('soak.jsonl', readFileSync(shortTrace, 'utf8').split('\n').slice(0, 4).join('\n'));
  const { code, out } = node(program, 'replay', trace, '--minutes', '0.02', '--json');
  expect(code).toBe(0);
  const [end] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  expect(end?.keys).toBeGreaterThan(0);
  expect(end?.cacheMb).toBeLessThanOrEqual(end?.budgetMb ?? 0);
  expect(end?.rssMb).toBeGreaterThan(30);
  expect(end).toHaveProperty('idleCpuPercent');
});

const opened = '{"type":"open","name":"a","text":""}';
test.each([
  ['does not begin with a document', '{"type":"edit"}', /:1: the first line must be of type "open"/],
  ['opens a second one', `${opened}\n{"type":"open"}`, /:2: an "edit" was expected, not "open"/],
  ['lacks a number', `${opened}\n{"type":"edit","line":0}`, /:2: a number is missing/],
  ['is cut off', '{"type":', /:1: this is not JSON/],
])('the error for a trace that %s names the line', (_, text, message) => {
  const { code, err } = node(program, 'replay', written('wrong.jsonl', text));
  expect(code).toBe(1);
  expect(err).toMatch(message);
});

test('replay ends with the reason if the server cannot load the model', () => {
  const model = join(folder, 'none.gguf');
  const args = [program, 'replay', shortTrace, '--model', model];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  expect(stderr).toContain(`no model file at ${model}`);
  expect(status).toBe(1);
});

test('the error for an unknown mode lists the modes', () => {
  const { code, err } = node(program, 'replay', shortTrace, '--mode', 'fast');
  expect(code).toBe(2);
  expect(err).toMatch(/--mode is wait or live, not "fast"/);
});

test('replay measures the first text before the answer is complete', () => {
  const trace = written('first.jsonl', readFileSync(shortTrace, 'utf8').split('\n').slice(0, 6).join('\n'));
  const { firstTextMs, fullMs } = replay(trace, '--max-tokens', '32');
  expect(firstTextMs.p99).toBeLessThan(fullMs.p99);
});
