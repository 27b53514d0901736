// dist/hearth.js with the real engine and the starter model, as a person would run it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Reason } from '../../language-server/protocol/reasons.ts';
import { reasonTexts } from '../../language-server/protocol/reasons.ts';
import { commandLine } from '../support/command-line.ts';
import { writeGguf } from '../support/gguf-writer.ts';
import { dist, isWindows } from '../support/program.ts';
import { syntheticAdapter } from '../support/synthetic-adapter.ts';
import { shapes, syntheticModel } from '../support/synthetic-model.ts';

const { run: hearth, shell, json, checkFails } = commandLine(join(dist, 'hearth.js'));
const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-'));
const sample = join(folder, 'sample.py');
writeFileSync(sample, 'def add(a, b):\n    """Add two numbers."""\n    return a\n\n\nprint(add(1, 2))\n');
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(isWindows)('reports an output that cannot be written in one line', () => {
  const { code, err } = shell('"$@" doctor > /dev/full');
  expect(code).toBe(1);
  expect(err).toMatch(/^hearth: cannot write the output: .*ENOSPC.*\n$/);
});

test('the help lists the commands', () => {
  const { code, out } = hearth('--help');
  expect(code).toBe(0);
  for (const name of ['complete', 'explain', 'generate', 'tokenize', 'doctor', 'lsp']) {
    expect(out).toContain(`  ${name} `);
    expect(hearth(name, '--help').out).toContain(`Usage: hearth ${name}`);
  }
});

test('says what is wrong with a call', () => {
  checkFails(['compleet'], 2, /no command "compleet"/);
  checkFails(['toString'], 2, /no command "toString"/);
  checkFails(['tokenize'], 2, /expected one TEXT/);
  checkFails(['complete', sample], 2, /FILE:LINE\[:COLUMN\]/);
  checkFails(['generate'], 2, /--prompt needs a text/);
});

test('the error for a missing file or place names it', () => {
  checkFails(['complete', join(folder, 'none.py:1:1')], 1, /none\.py/);
  checkFails(['complete', `${sample}:99:1`], 1, /there is no line 99/);
  checkFails(['complete', `${sample}:1:16`], 1, /columns 1 to 15; there is no column 16/);
  checkFails(['complete', `${sample}:1:0`], 1, /there is no column 0/);
  checkFails(['explain', `${sample}:5-9`], 1, /lines 1 to 7; there are no lines 5 to 9/);
  checkFails(['explain', `${sample}:0-1`], 1, /no lines 0 to 1/);
  checkFails(['generate', '--prompt', `@${join(folder, 'none.txt')}`], 1, /none\.txt/);
  checkFails(['tokenize', 'a', '--model', join(folder, 'none.gguf')], 1, /none\.gguf/);
});

test('refuses a file that is too long or never ends', () => {
  const long = join(folder, 'long.py');
  writeFileSync(long, '');
  truncateSync(long, 64 * 2 ** 20 + 1);
  checkFails(['complete', `${long}:1`], 1, /cannot read .*long\.py: it has more than 64 MiB/);
  checkFails(['complete', `${folder}:1`], 1, /it is not a file/);
  if (isWindows) return;
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero']) {
    checkFails(['complete', `${path}:1`], 1, /it is not a file/);
    checkFails(['explain', `${path}:1-2`], 1, /it is not a file/);
    checkFails(['generate', '--prompt', `@${path}`], 1, /it is not a file/);
  }
});

test('says what is wrong with a call before it loads a model', () => {
  const model = ['--model', join(folder, 'none.gguf')];
  checkFails(['complete', sample, ...model], 2, /FILE:LINE/);
  checkFails(['explain', sample, ...model], 2, /FILE:FROM-TO/);
});

test('completes a file at a place', () => {
  const result = json<{ text: string; finishReason: string; reason: string | null; timings: Record<string, number> }>(
    'complete',
    `${sample}:3:13`,
  );
  expect(typeof result.text).toBe('string');
  expect(result.reason === null).toBe(result.text !== '');
  expect(Object.keys(result.timings).sort()).toEqual(
    ['cachedTokens', 'completionTokens', 'decodeMs', 'decodePasses', 'prefillMs', 'promptTokens', 'ttftMs'].sort(),
  );
});

test('shows the completion in its place', () => {
  const { text, reason } = json<{ text: string; reason: Reason | null }>('complete', `${sample}:3:12`);
  const { out } = hearth('complete', `${sample}:3:12`);
  expect(out).toContain(text === '' ? reasonTexts[reason ?? 'shown'] : `    return «${text}»`);
});

test('completes at the end of a line when no column is given', () => {
  const windows = join(folder, 'windows.py');
  writeFileSync(windows, readFileSync(sample, 'utf8').replaceAll('\n', '\r\n'));
  const text = (place: string) => json<{ text: string }>('complete', place).text;
  expect(text(`${sample}:3`)).toBe(text(`${sample}:3:13`));
  expect(text(`${windows}:3`)).toBe(text(`${windows}:3:13`));
});

test("gets Hearth's adapter for a model, another one, or none, as an editor does", () => {
  const spec = syntheticModel({ shape: shapes.tiny, quantization: 'q8_0' });
  spec.metadata['general.name'] = { string: 'Qwen2.5 Coder 0.5B Instruct' };
  const model = join(folder, 'coder.gguf');
  const adapter = join(folder, 'adapter.gguf');
  writeGguf(model, spec);
  writeGguf(adapter, syntheticAdapter(spec));
  const complete = (...more: string[]) => hearth('complete', `${sample}:3:12`, '--model', model, '--json', ...more);
  // This model is smaller than the one whose name it has, so that Hearth's adapter does not fit.
  const own = complete();
  expect(own.code).toBe(0);
  expect(own.err).toMatch(/^hearth: the model runs without Hearth's adapter: .*completion-0\.5b\.gguf.*\n$/);
  for (const named of [adapter, 'off']) expect(complete('--adapter', named)).toMatchObject({ code: 0, err: '' });
  const tooLarge = join(dist, '../models/completion-0.5b.gguf');
  expect(complete('--adapter', tooLarge)).toMatchObject({
    code: 1,
    err: expect.stringContaining('completion-0.5b.gguf'),
  });
});

test('continues a raw prompt from the command line or a file', () => {
  const args = ['--prompt', 'def add(a, b):\n    return', '--max-tokens', '8'];
  const { text, finishReason } = json<{ text: string; finishReason: string }>('generate', ...args);
  expect(text).toMatch(/^ a/);
  expect(['stop', 'length']).toContain(finishReason);
  expect(hearth('generate', ...args).out).toBe(`${text}\n`);
  const prompt = join(folder, 'prompt.txt');
  writeFileSync(prompt, args[1] ?? '');
  expect(hearth('generate', '-p', `@${prompt}`, '-n', '8').out).toBe(`${text}\n`);
});

test('--gguf means the same as --model in every command that has --model', () => {
  const starter = join(dist, '..', 'models', 'starter.gguf');
  const { out } = hearth('generate', '--gguf', starter, '--prompt', 'def add(a, b):\n    return', '--max-tokens', '2');
  expect(out).toMatch(/^ a/);
  const none = join(folder, 'none.gguf');
  checkFails(['tokenize', 'a', `--gguf=${none}`], 1, /none\.gguf/);
  checkFails(['tokenize', 'a', '--gguf', none, '--model', none], 2, /--gguf is another name of --model/);
  for (const name of ['complete', 'explain', 'generate', 'tokenize', 'doctor', 'lsp'])
    expect(hearth(name, '--help').out).toContain('also --gguf');
});

test('the help of generate mentions the trace, which has the times of each layer', () => {
  expect(hearth('generate', '--help').out).toContain('doctor --trace FILE');
});

test.each([
  ['--backend', 'cuda'],
  ['--backend', 'hip'],
  ['--gpu', 'none of this name'],
])('if %s %s is not available, the error says why', (option, name) => {
  checkFails(
    ['tokenize', 'a', option, name],
    1,
    new RegExp(`^hearth: ${option} ${name} cannot be used: no .*(?:GPU|driver)`),
  );
});

test('explains lines of a file', () => {
  const { text } = json<{ text: string }>('explain', `${sample}:1-3`);
  expect(text).toMatch(/\S/);
  expect(hearth('explain', `${sample}:1-3`).out).toBe(`${text}\n`);
});

test('tokenizes text, and special tokens only on request', () => {
  expect(json<number[]>('tokenize', '<|fim_prefix|>').length).toBeGreaterThan(1);
  expect(json<number[]>('tokenize', '<|fim_prefix|>', '--special')).toEqual([16378]);
  expect(json<number[]>('tokenize', '--file', sample)).toEqual(json('tokenize', readFileSync(sample, 'utf8')));
});

test('the doctor finds no problem, and its exit code reports a broken model', () => {
  const healthy = json<{ isOk: boolean; checks: { name: string; isOk: boolean }[] }>('doctor');
  expect(healthy.isOk).toBe(true);
  expect(healthy.checks.map(({ name }) => name)).toContain('completion');
  const missing = join(folder, 'none.gguf');
  expect(hearth('doctor', '--model', missing).out).toContain(`BROKEN  model file: ${missing} does not exist\n`);
  const broken = hearth('doctor', '--model', sample);
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(/^BROKEN {2}model: .*sample\.py/m);
});
