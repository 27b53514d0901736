// If a GPU's driver hangs or ends the process (the emulated driver can do both), the CPU is used, and the failure is
// recorded.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describeGpus, rememberThatItWorks, usableBackend } from '../../native/gpu-driver.ts';
import { loadEngine } from '../../native/index.ts';
import { commandLine } from '../support/command-line.ts';
import { dist } from '../support/program.ts';

const library = (name: string) => join(import.meta.dirname, `../../build/native/libfake_${name}.so`);
const isEmulated = process.arch === 'x64' && process.platform === 'linux';
/** How long to wait for a driver that never answers. */
const shortMs = 1000;
/** How long to wait for a driver that answers, however busy this machine is. */
const longMs = 120_000;

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'hearth-driver-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('HEARTH_CUDA_LIBRARY', library('cuda'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

const fault = (name: string) => vi.stubEnv('HEARTH_FAKE_GPU', name);
const records = () => readdirSync(join(cache, 'hearth')).map((name) => join(cache, 'hearth', name));
const load = async (backend: 'auto' | 'cuda') => {
  const engine = await loadEngine({ modelPath: 'models/starter.gguf', backend, threads: 1 });
  await engine.close();
  return engine.info;
};

test.runIf(isEmulated).for([
  ['stuck', /^NVIDIA's driver has not answered for 1 s: update it or restart the computer/],
  ['dies', /^NVIDIA's driver ends the process that calls it \(SIGABRT\): update it or restart the computer/],
  ['exits', /^NVIDIA's driver ends the process that calls it \(0\): update it or restart the computer/],
] as const)(
  'after the fault "%s" of a driver, the CPU is used, and the driver is not called again for a day',
  async ([name, sentence]) => {
    fault(name);
    for (const backend of ['auto', 'cuda'] as const)
      expect(await usableBackend(backend, name === 'stuck' ? shortMs : longMs)).toEqual({
        backend: 'cpu',
        problem: expect.stringMatching(sentence),
      });
    const [record = ''] = records();
    const { mtimeMs } = statSync(record);
    for (const backend of ['auto', 'cuda'] as const)
      expect(await load(backend)).toMatchObject({ device: 'cpu', fallbackReason: expect.stringMatching(sentence) });
    fault('');
    expect((await usableBackend('auto', longMs)).problem).toMatch(sentence);
    expect(statSync(record).mtimeMs).toBe(mtimeMs); // the driver was not called again
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(record, yesterday, yesterday);
    expect(await usableBackend('auto', longMs)).toEqual({ backend: 'auto', problem: '' });
  },
);

test.runIf(isEmulated)('the doctor calls a driver again that has failed', async () => {
  fault('stuck');
  expect(await describeGpus(shortMs)).toContain("NVIDIA's driver has not answered");
  fault('');
  expect(await describeGpus(longMs)).toMatch(
    /NVIDIA Large \(cuda, 8192 MiB, of which 7168 are free, by .*libfake_cuda\.so\)/,
  );
  expect((await usableBackend('auto', longMs)).problem).toBe('');
});

test.runIf(isEmulated)('a driver that has worked before is called without a trial, once', async () => {
  rememberThatItWorks('cuda');
  fault('dies');
  expect((await usableBackend('cuda')).problem).toBe('');
  // Nothing has recorded that the call returned, so the next one is tried in another process first.
  expect((await usableBackend('cuda', longMs)).problem).toContain('ends the process');
});

test.runIf(isEmulated)('if one driver fails, the other one is used', async () => {
  vi.stubEnv('HEARTH_HIP_LIBRARY', library('amdhip64'));
  fault('stuck');
  await usableBackend('hip', shortMs);
  fault('');
  const { backend, problem } = await usableBackend('auto', longMs);
  expect(backend).toBe('cuda');
  expect(problem).toMatch(/^AMD's driver has not answered for 1 s/);
});

test.runIf(isEmulated)('a driver that reports no GPU has not failed', async () => {
  fault('init');
  expect(await usableBackend('auto', longMs)).toEqual({ backend: 'auto', problem: '' });
  vi.stubEnv('HEARTH_CUDA_LIBRARY', join(cache, 'none.so'));
  expect(await usableBackend('auto', longMs)).toEqual({ backend: 'auto', problem: '' });
});

test.runIf(isEmulated)('the process that tries a driver ends with its parent', async () => {
  fault('stuck');
  const parent = spawn(process.execPath, [join(dist, 'hearth.js'), 'doctor']);
  const children = () => readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim();
  let child = '';
  await expect
    .poll(() => {
      child = children();
      return child;
    })
    .toMatch(/^\d+$/);
  parent.kill('SIGKILL');
  const isRunning = () => existsSync(`/proc/${child}`) && !readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ');
  await expect.poll(isRunning).toBe(false);
});

test.runIf(isEmulated)('the command line runs on the CPU when the driver ends processes', () => {
  const { run } = commandLine(join(dist, 'hearth.js'));
  fault('dies');
  expect(run('tokenize', 'a', '--model', 'models/starter.gguf')).toMatchObject({ code: 0, out: '[64]\n' });
  const { out } = run('doctor', '--model', 'models/starter.gguf');
  expect(out).toMatch(/GPU: NVIDIA's driver ends the process that calls it \(SIGABRT\)/);
  expect(run('tokenize', 'a', '--backend', 'cuda').err).toMatch(
    /^hearth: --backend cuda cannot be used: NVIDIA's driver ends/,
  );
});
