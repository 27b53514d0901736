// The development tools with the real engine and the starter model.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Cost, costOf, type Speed } from '../../../lab/bench/adapter-cost.ts';
import { type EvalAnswer, type Figures, figuresOf, scoreOf } from '../../../lab/tools/eval-score.ts';
import type { Savings } from '../../../lab/tools/savings.ts';
import { commandLine } from '../../support/command-line.ts';

const root = join(__dirname, '../../..');
const { run: tool, shell, json, checkFails } = commandLine(join(root, 'lab/tools/run.mjs'));
const folder = mkdtempSync(join(tmpdir(), 'hearth-tools-'));
const sample = join(folder, 'sample.py');
writeFileSync(sample, 'def add(a, b):\n    """Add two numbers."""\n    return a\n\n\nprint(add(1, 2))\n');
afterAll(() => rmSync(folder, { recursive: true }));

test('a tool ends quietly when nobody reads its output any more', () => {
  const trace = join(root, 'test/fixtures/traces/text-window.jsonl');
  const { out, err } = shell(`"$@" replay "${trace}" --keys --max-tokens 1 | head -n 1; echo $PIPESTATUS`);
  expect(err).toBe('');
  expect(out).toMatch(/^\{"insert":.*\}\n0\n$/);
});

test('the help lists the tools', () => {
  const { code, out } = tool('--help');
  expect(code).toBe(0);
  const page = readFileSync(join(root, 'lab/README.md'), 'utf8');
  const names = [...out.matchAll(/^ {2}([\w-]+) /gm)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['eval', 'next-edit', 'replay', 'bench', 'demo']));
  for (const name of names) expect(page).toContain(`\`${name}`);
  for (const name of ['eval', 'demo']) expect(tool(name, '--help').out).toContain(`Usage: tool ${name}`);
});

test('errors say which token ids or which line of a file is wrong', () => {
  const out = ['--out', join(folder, 'none.f32')];
  checkFails(['logits', '--tokens', 'one', ...out], 1, /--tokens "one": these are not token ids/);
  checkFails(['logits', '--tokens', `@${sample}`, ...out], 1, /sample\.py: these are not token ids/);
  checkFails(['eval', sample, '--layout', 'odd'], 2, /plain, spm, anchored:N or held:N/);
  const cases = join(folder, 'broken.jsonl');
  writeFileSync(cases, '\n{"prefix": "a", "suffix": "b", "middle": "c"}\nnothing\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:3: this is not JSON/);
  writeFileSync(cases, 'null\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:1: this is not an object/);
  writeFileSync(cases, '\n{"prefix": "a"}\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:2: the case lacks/);
  checkFails(['trace', sample, '--line', '6', '--lines', '3'], 2, /has 7 lines: lines 6 to 8 cannot be taken/);
});

test('adapter-cost measures what an adapter costs', () => {
  const small = ['--shape', 'tiny', '--prompt', '8', '--generate', '4', '--repeat', '2'];
  const costs = json<Record<'decode' | 'prompt', Cost>>('adapter-cost', ...small);
  for (const { without, with: adapted, slower, work } of [costs.decode, costs.prompt]) {
    expect(without).toBeGreaterThan(0);
    expect(adapted).toBeGreaterThan(0);
    expect(slower).toBeGreaterThan(-1);
    expect(work).toBeGreaterThan(-1);
  }
  checkFails(['adapter-cost', '--adapter', 'a.gguf'], 2, /--model and --adapter go together/);
  checkFails(['adapter-cost', '--shape', 'huge'], 2, /--shape must be one of 0\.5b/);
  checkFails(['adapter-cost', '--format', 'q1'], 2, /--format must be one of f16, q8_0/);
});

test("an adapter's cost is the median of the rounds' ratios", () => {
  const round = (plain: [number, number], adapted: [number, number]): [Speed, Speed] => [
    { rate: plain[0], micros: plain[1] },
    { rate: adapted[0], micros: adapted[1] },
  ];
  const pairs = [round([10, 4], [10, 6]), round([100, 10], [80, 11]), round([40, 20], [20, 24])];
  expect(costOf(pairs)).toEqual({ without: 40, with: 20, slower: 0.25, work: expect.closeTo(0.2) });
});

test("next-edit measures Hearth's next edits and another program's", () => {
  checkFails(['next-edit'], 2, /expected --cases FILE/);
  const cases = join(folder, 'next.jsonl');
  const text = 'sum = 0\nuse(total)\n';
  const history = [{ path: 'a.py', before: 'total = 0', after: 'sum = 0' }];
  const expected = [{ start: 8, end: 18, text: 'use(sum)' }];
  const nextEditCase = { path: 'a.py', languageId: 'python', text, cursor: 3, history, expected, quiet: false };
  writeFileSync(cases, `${JSON.stringify(nextEditCase)}\n`);
  const out = join(folder, 'answers.jsonl');
  const rule = json('next-edit', '--cases', cases, '--by', 'rule', '--gate', '0', '--out', out);
  expect(rule).toMatchObject({ cases: 1, gates: [{ gate: 0, exact: 1, precision: 1 }] });
  expect(json('next-edit', '--cases', cases, '--answers', out, '--gate', '0')).toEqual(rule);
  expect(json('next-edit', '--cases', cases, '--gate', '0')).toMatchObject({ cases: 1, gates: [{ exact: 1 }] });
  writeFileSync(out, '');
  checkFails(['next-edit', '--cases', cases, '--answers', out], 1, /has 0 answers for 1 cases/);
});

test('a tool writes logits as float32', () => {
  const out = join(folder, 'logits.f32');
  expect(json('logits', '--tokens', '1,2,3', '--out', out)).toEqual({ tokens: 3, vocabulary: 16384, file: out });
  const bytes = readFileSync(out);
  expect(bytes).toHaveLength(3 * 16384 * 4);
  expect(Number.isFinite(bytes.readFloatLE(4))).toBe(true);
  const ids = join(folder, 'ids.json');
  writeFileSync(ids, '[1, 2, 3]');
  const again = join(folder, 'again.f32');
  json('logits', '--tokens', `@${ids}`, '--out', again);
  expect(readFileSync(again).equals(bytes)).toBe(true);
});

test('a tool measures perplexity per token and per byte', () => {
  const result = json<{ nllPerToken: number; nllPerByte: number; tokens: number }>('perplexity', sample);
  const hearth = commandLine(join(root, 'dist/hearth.js'));
  expect(result.tokens).toBe(hearth.json<number[]>('tokenize', '--file', sample).length - 1);
  expect(result.nllPerToken).toBeGreaterThan(0);
  expect(result.nllPerToken).toBeLessThan(6);
  expect(result.nllPerByte).toBeLessThan(result.nllPerToken);
});

test('eval tries cases in each layout, and writes the answers that it scored', () => {
  const cases = join(folder, 'cases.jsonl');
  const prefix = 'import os\nimport sys\n\n\ndef main():\n    for name in os.listdir(';
  const fimCase = { language: 'python', path: 'a.py', kind: 'bracket', prefix, suffix: '):\n', middle: '"."' };
  writeFileSync(cases, `${JSON.stringify(fimCase)}\n`);
  for (const layout of ['plain', 'spm', 'anchored:12']) {
    const out = join(folder, 'answers.jsonl');
    const report = json<Figures>('eval', cases, '--layout', layout, '--out', out);
    const answer = JSON.parse(readFileSync(out, 'utf8')) as EvalAnswer;
    expect(Object.keys(answer).sort()).toEqual(['ms', 'probability', 'reason', 'replaces', 'text', 'tokens']);
    const figures = figuresOf([{ ...scoreOf(answer, fimCase), ms: answer.ms, tokens: answer.tokens }]);
    expect(report).toEqual({ ...figures, byLanguage: { python: figures }, byKind: { bracket: figures } });
  }
});

test('eval says how many cases have no answer', () => {
  const [cases, recorded] = [join(folder, 'two.jsonl'), join(folder, 'recorded.jsonl')];
  const fimCase = { language: 'python', path: 'a.py', kind: 'line', prefix: 'a = ', suffix: '\n', middle: '1' };
  writeFileSync(cases, `${JSON.stringify(fimCase)}\n`.repeat(2));
  const recording = { id: 'cut:2', lineBreak: '', pieces: [['1', 0]], isEnded: true };
  writeFileSync(recorded, `{"name":"any"}\n${JSON.stringify(recording)}\n`);
  expect(json('eval', cases, '--recorded', recorded)).toMatchObject({ cases: 1, skipped: 1, exactMatch: 1 });
});

test('a tool counts what ghost text saves in a session', () => {
  const trace = join(folder, 'session.jsonl');
  const recorded = readFileSync(join(root, 'test/fixtures/traces/throughput.jsonl'), 'utf8').split('\n');
  writeFileSync(trace, recorded.slice(0, 61).join('\n'));
  const { sessions, total } = json<{ sessions: Record<string, Savings>; total: Savings }>('savings', trace);
  expect(sessions).toEqual({ [trace]: total });
  expect(total.keys).toBe(60);
  expect(total.keysTyped).toBeLessThan(60);
  expect(total.keysTyped + total.charactersAccepted).toBeGreaterThanOrEqual(60);
  expect(total.keystrokesSaved).toBe(total.charactersAccepted - total.charactersWrong);
});

test("errors in a measurement's options come before a model is loaded", () => {
  checkFails(['bench', '--fast'], 2, /--fast/);
  checkFails(['bench', '-p', 'many'], 2, /must be a whole number of at least 0/);
  checkFails(['bench', '-b', '257'], 2, /--batch must be at most 256/);
  checkFails(['bench', 'model.gguf'], 2, /bench takes options only, not "model.gguf"/);
  checkFails(['bench', '-r', '0', '--model', 'none.gguf'], 2, /--repeat must be a whole number/);
});

test('a tool measures speed', () => {
  const args = ['bench', '-p', '32', '-p', '64', '-n', '4', '-t', '1', '--repeat', '1'];
  const result = json<{ prefill: object; decode: object; threads: number; variant: string; loadMs: number }>(...args);
  expect(Object.keys(result.prefill)).toEqual(['32', '64']);
  expect(Object.keys(result.decode)).toEqual(['4']);
  expect(result.threads).toBe(1);
  expect(result.variant).toMatch(/^(scalar|avx2|avxvnni|avx512vnni|amx|neon|i8mm)$/);
  for (const rate of Object.values({ ...result.prefill, ...result.decode })) expect(rate).toBeGreaterThan(0);
  const behind = json<typeof result>('bench', '-p', '16', '-n', '2', '-d', '40', '-d', '0', '-t', '1', '--repeat', '1');
  expect([Object.keys(behind.prefill), Object.keys(behind.decode)]).toEqual([
    ['16', '16 at 40'],
    ['2', '2 at 40'],
  ]);
});
