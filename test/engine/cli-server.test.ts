// dist/hearth.js with a team's server.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CompletionServer, refuse, stream } from '../support/completion-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-server-'));
const sample = join(folder, 'sample.py');
let server: CompletionServer;

beforeAll(async () => {
  writeFileSync(sample, 'def add(a, b):\n    return a\n');
  server = await CompletionServer.start();
  server.defaultAnswer = stream(' + b', '\n');
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function hearth(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, HEARTH_SERVER_TOKEN: 'token-123' };
  const program = join(__dirname, '../../dist/hearth.js');
  const options = [...args, '--server', server.url, '--server-model', 'qwen2.5-coder'];
  const run = promisify(execFile)(process.execPath, [program, ...options], { env });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

test('completes a file with the model on the server', async () => {
  const { code, out } = await hearth('complete', `${sample}:2`, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ text: ' + b' });
  expect(server.asked[0]).toMatchObject({ headers: { authorization: 'Bearer token-123' } });
});

test('waits longer for the server than an editor does', async () => {
  server.answers.push((response, asked) => void setTimeout(() => server.defaultAnswer(response, asked), 2500));
  expect(await hearth('complete', `${sample}:2`)).toMatchObject({ code: 0, out: expect.stringContaining(' + b') });
});

test('does not complete with another model if the server fails', async () => {
  server.probe = refuse(503);
  const { code, err } = await hearth('complete', `${sample}:2`);
  expect([code, err]).toEqual([1, expect.stringMatching(/^hearth: 127\.0\.0\.1:\d+ is busy \(503\)\.\n$/)]);
  server.probe = stream(' + b');
});

test('examines the server', async () => {
  const { out } = await hearth('doctor', '--json');
  const { checks } = JSON.parse(out) as { checks: { name: string }[] };
  const names = ['server', 'its model', 'completion', 'special tokens', 'log-probabilities', 'cancellation'];
  expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});
