// Tests the addon without its TypeScript wrapper, in another process.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const addon = join(import.meta.dirname, '../../dist/hearth.node');
const model = join(import.meta.dirname, '../fixtures/reference/tiny-mixed.gguf');

/** Runs a script that can use an engine and try_(), which prints a function's error. Returns what it has printed. */
function outputOf(script: string, uid?: number): string {
  const whole = `
    const { load } = require(${JSON.stringify(addon)});
    const options = {
      modelPath: ${JSON.stringify(model)}, backend: 'cpu', gpuKernels: '', threads: 1, variant: '', cacheBytes: 0,
      kvType: 'f16', contextTokens: 0, adapters: [], draftModelPath: '', diskFolder: '', diskBytes: 0,
    };
    const request = {
      kind: 'generate', tokens: Uint32Array.of(1), adapter: 0, heal: new Uint8Array(), maxTokens: 2, temperature: 0, topK: 0, topP: 1,
      minP: 0, seed: 0, isBackground: false, stopTokens: new Uint32Array(), speculate: false, alternatives: 1,
      streamAlternatives: false, traceOps: false, continuations: [],
      given: new Uint32Array(),
    };
    function try_(call) {
      try {
        call();
      } catch (error) {
        console.log(error.message);
      }
    }
    load(options, null)[0].then(async (engine) => { ${script} });`;
  return execFileSync(process.execPath, ['-e', whole], { encoding: 'utf8', timeout: 300_000, uid });
}

test('the process can end after a request with unreadable values', () => {
  const output = outputOf(`
    const maxTokens = { valueOf() { throw new Error('unreadable'); } };
    try_(() => engine.submit(1, { ...request, maxTokens }, () => {}));
    await engine.close();`);
  expect(output).toBe('unreadable\n');
});

test('an answer that JavaScript cannot accept is an error, and the process can end', () => {
  const output = outputOf(`
    Object.defineProperty(Object.prototype, 'finishReason', { set() { throw new Error('not taken'); } });
    await engine.submit(1, request, null).catch((error) => console.log(error.message));
    await engine.close();`);
  expect(output).toBe('not taken\n');
});

test.skipIf(process.platform !== 'linux')(
  'if no thread can be started, no model is loaded, but a loaded one can be closed',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-threads-'));
    chmodSync(folder, 0o777);
    try {
      // The superuser is allowed to start any number of threads.
      const nobody = process.getuid?.() === 0 ? 65534 : undefined;
      const output = outputOf(
        `
      const [saving] = load({ ...options, diskFolder: ${JSON.stringify(folder)}, diskBytes: 1e9 }, null);
      const other = await saving;
      await other.submit(1, request, null);
      require('node:child_process').execFileSync('prlimit', ['--pid', String(process.pid), '--nproc=1']);
      await load(options, null)[0].catch(({ code, message }) => console.log(code, message));
      await other.close();
      await engine.close();`,
        nobody,
      );
      expect(output).toMatch(/^out-of-memory .*tiny-mixed.gguf: the system starts no more threads .*\n$/);
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.pages$/)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('a seed that is negative or not a number counts as 0', () => {
  const output = outputOf(`
    const answer = { ...request, maxTokens: 20, temperature: 2 };
    const tokens = async (seed) => (await engine.submit(1, { ...answer, seed }, null)).tokens.join();
    const expected = await tokens(0);
    for (const seed of [-1, NaN, 1]) console.log((await tokens(seed)) === expected);
    await engine.close();`);
  expect(output).toBe('true\ntrue\nfalse\n');
});

test('ending an answer that does not exist fails, and the others continue', () => {
  const output = outputOf(`
    const result = engine.submit(1, { ...request, maxTokens: 400 }, null);
    for (const answer of [4, -1]) try_(() => engine.endAnswer(1, answer));
    console.log((await result).tokens.length > 0);
    await engine.close();`);
  expect(output).toBe('there is no answer 4\nthere is no answer -1\ntrue\n');
});

test('a closed engine refuses every call', () => {
  const output = outputOf(`
    const closing = engine.close();
    const calls = ['info', 'texts', 'status', 'close', 'clearCache'].map((name) => () => engine[name]());
    calls.push(() => engine.tokenize('x', false), () => engine.submit(1, request, null), () => engine.learn(request.tokens));
    for (const call of calls) try_(call);
    await closing;`);
  expect(output).toBe('the engine was closed\n'.repeat(8));
});
