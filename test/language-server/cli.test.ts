// dist/hearth.js with the real engine and the starter model, as a person would run it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const program = join(__dirname, '../../dist/hearth.js');
const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-'));
const sample = join(folder, 'sample.py');
writeFileSync(sample, 'def add(a, b):\n    """Add two numbers."""\n    return a\n\n\nprint(add(1, 2))\n');
afterAll(() => rmSync(folder, { recursive: true }));

function hearth(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** The JSON that the command prints. */
function json<T>(...args: string[]): T {
  const { code, out, err } = hearth(...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

/** The command fails with this exit code and one line that matches. */
function checkFails(args: string[], code: number, line: RegExp): void {
  const result = hearth(...args);
  expect(result).toMatchObject({ code, out: '' });
  expect(result.err).toMatch(line);
  expect(result.err.trimEnd().split('\n')).toHaveLength(1);
}

test('ends quietly when nobody reads its output any more', () => {
  const trace = join(__dirname, '../fixtures/traces/text-window.jsonl');
  const shell = `"${process.execPath}" "${program}" replay "${trace}" --keys --max-tokens 1 | head -n 1; echo $PIPESTATUS`;
  const { stdout, stderr } = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^\{"insert":.*\}\n0\n$/);
});

test('lists its commands', () => {
  const { code, out } = hearth('--help');
  expect(code).toBe(0);
  for (const name of [
    'complete',
    'explain',
    'tokenize',
    'logits',
    'perplexity',
    'eval',
    'bench',
    'replay',
    'doctor',
    'lsp',
  ]) {
    expect(out).toContain(`  ${name} `);
    expect(hearth(name, '--help').out).toContain(`Usage: hearth ${name}`);
  }
});

test('says what is wrong with a call', () => {
  checkFails(['compleet'], 2, /no command "compleet"/);
  checkFails(['toString'], 2, /no command "toString"/);
  checkFails(['bench', '--fast'], 2, /--fast/);
  checkFails(['bench', '-p', 'many'], 2, /wants a whole number of at least 0/);
  checkFails(['bench', '-b', '257'], 2, /--batch wants at most 256/);
  checkFails(['bench', 'model.gguf'], 2, /bench takes options only, not "model.gguf"/);
  checkFails(['tokenize'], 2, /one TEXT is wanted/);
  checkFails(['complete', sample], 2, /FILE:LINE:CHARACTER/);
  checkFails(['eval', sample, '--layout', 'odd'], 2, /plain, spm or anchored:N/);
});

test('says which file or place does not exist', () => {
  checkFails(['complete', join(folder, 'none.py:1:0')], 1, /none\.py/);
  checkFails(['complete', `${sample}:99:0`], 1, /there is no line 99/);
  checkFails(['complete', `${sample}:1:99`], 1, /there is no character 99/);
  checkFails(['tokenize', 'a', '--model', join(folder, 'none.gguf')], 1, /none\.gguf/);
});

test('says which token ids, line of a file or lines are wrong', () => {
  const out = ['--out', join(folder, 'none.f32')];
  checkFails(['logits', '--tokens', 'one', ...out], 1, /--tokens "one": these are no token ids/);
  checkFails(['logits', '--tokens', `@${sample}`, ...out], 1, /sample\.py: these are no token ids/);
  const cases = join(folder, 'broken.jsonl');
  writeFileSync(cases, '\n{"prefix": "a", "suffix": "b", "middle": "c"}\nnothing\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:3: this is not JSON/);
  writeFileSync(cases, 'null\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:1: this is no object/);
  writeFileSync(cases, '\n{"prefix": "a"}\n');
  checkFails(['eval', cases], 1, /broken\.jsonl:2: the case lacks/);
  checkFails(['explain', `${sample}:5-9`], 1, /lines 1 to 7; there are no lines 5 to 9/);
  checkFails(['explain', `${sample}:0-1`], 1, /no lines 0 to 1/);
});

test('says what is wrong with a call before it loads a model', () => {
  const model = ['--model', join(folder, 'none.gguf')];
  checkFails(['complete', sample, ...model], 2, /FILE:LINE:CHARACTER/);
  checkFails(['explain', sample, ...model], 2, /FILE:FROM-TO/);
  checkFails(['bench', '-r', '0', ...model], 2, /--repeat wants a whole number/);
});

test('completes a file at a place', () => {
  const result = json<{ text: string; finishReason: string; reason: string | null; timings: Record<string, number> }>(
    'complete',
    `${sample}:3:12`,
  );
  expect(typeof result.text).toBe('string');
  expect(result.reason === null).toBe(result.text !== '');
  expect(Object.keys(result.timings).sort()).toEqual(
    ['cachedTokens', 'completionTokens', 'decodeMs', 'decodePasses', 'prefillMs', 'promptTokens', 'ttftMs'].sort(),
  );
});

test('shows the completion in its place', () => {
  const { text } = json<{ text: string }>('complete', `${sample}:3:11`);
  const { out } = hearth('complete', `${sample}:3:11`);
  expect(out).toContain(text === '' ? 'nothing (' : `    return «${text}»`);
});

test('explains lines of a file', () => {
  const { text } = json<{ text: string }>('explain', `${sample}:1-3`);
  expect(text).toMatch(/\S/);
  expect(hearth('explain', `${sample}:1-3`).out).toBe(`${text}\n`);
});

test('tokenizes text, with special tokens only when asked', () => {
  expect(json<number[]>('tokenize', '<|fim_prefix|>').length).toBeGreaterThan(1);
  expect(json<number[]>('tokenize', '<|fim_prefix|>', '--special')).toEqual([16378]);
  expect(json<number[]>('tokenize', '--file', sample)).toEqual(json('tokenize', readFileSync(sample, 'utf8')));
});

test('writes logits as float32', () => {
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

test('measures perplexity per token and per byte', () => {
  const result = json<{ nllPerToken: number; nllPerByte: number; tokens: number }>('perplexity', sample);
  expect(result.tokens).toBe(json<number[]>('tokenize', '--file', sample).length - 1);
  expect(result.nllPerToken).toBeGreaterThan(0);
  expect(result.nllPerToken).toBeLessThan(6);
  expect(result.nllPerByte).toBeLessThan(result.nllPerToken);
});

test('evaluates cases in each layout', () => {
  const cases = join(folder, 'cases.jsonl');
  const prefix = 'import os\nimport sys\n\n\ndef main():\n    for name in os.listdir(';
  writeFileSync(
    cases,
    `${JSON.stringify({ language: 'python', path: 'a.py', kind: 'bracket', prefix, suffix: '):\n', middle: '"."' })}\n`,
  );
  for (const layout of ['plain', 'spm', 'anchored:12']) {
    const report = json<{ cases: number; exactMatch: number; editSimilarity: number; byLanguage: object }>(
      'eval',
      cases,
      '--layout',
      layout,
    );
    expect(report.cases).toBe(1);
    expect([0, 1]).toContain(report.exactMatch);
    expect(report.editSimilarity).toBeLessThanOrEqual(1);
    expect(Object.keys(report.byLanguage)).toEqual(['python']);
  }
});

test('measures speed', () => {
  const args = ['bench', '-p', '32', '-p', '64', '-n', '4', '-t', '1', '--repeat', '1'];
  const result = json<{ prefill: object; decode: object; threads: number; variant: string; loadMs: number }>(...args);
  expect(Object.keys(result.prefill)).toEqual(['32', '64']);
  expect(Object.keys(result.decode)).toEqual(['4']);
  expect(result.threads).toBe(1);
  expect(result.variant).toMatch(/^(scalar|avx2|avxvnni|avx512vnni|amx|neon)$/);
  for (const rate of Object.values({ ...result.prefill, ...result.decode })) expect(rate).toBeGreaterThan(0);
  const behind = json<typeof result>('bench', '-p', '16', '-n', '2', '-d', '40', '-d', '0', '-t', '1', '--repeat', '1');
  expect([Object.keys(behind.prefill), Object.keys(behind.decode)]).toEqual([
    ['16', '16 at 40'],
    ['2', '2 at 40'],
  ]);
});

test('the doctor finds nothing broken, and tells a broken model by its exit code', () => {
  const healthy = json<{ isOk: boolean; checks: { name: string; isOk: boolean }[] }>('doctor');
  expect(healthy.isOk).toBe(true);
  expect(healthy.checks.map(({ name }) => name)).toContain('completion');
  const missing = join(folder, 'none.gguf');
  expect(hearth('doctor', '--model', missing).out).toContain(`BROKEN  model file: ${missing} does not exist\n`);
  const broken = hearth('doctor', '--model', sample);
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(/^BROKEN {2}model: .*sample\.py/m);
});
