import { expect, test, vi } from 'vitest';
import { GpuTrials, trialLine } from '../../../language-server/engine/gpu-trials.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

const minute = 60_000;
const gpu = 'A GPU (1.0)';
const cpu = { reading: 100, writing: 20 };
const figures = { cpu, gpu: { reading: 214, writing: 28 }, reading: 2.14, writing: 1.4, isFaster: true };

function setUp(tryGpu?: (signal: AbortSignal) => Promise<void>, freeBytes = 2 ** 40) {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: () => {}, error: (line: string) => lines.push(line) };
  const onChange = vi.fn();
  const engine = Object.assign(new FakeEngine(), tryGpu && { tryGpu: vi.fn(tryGpu) });
  return { trials: new GpuTrials(log, onChange, () => freeBytes), engine, lines, onChange };
}

test('a GPU is tried once, after some time without requests', async () => {
  const { trials, engine, lines, onChange } = setUp(async () => {
    engine.info.gpuTrial = { gpu, figures };
  });
  trials.look(null, minute);
  trials.look(engine, 1000);
  expect(engine.tryGpu).not.toHaveBeenCalled();
  trials.look(engine, minute);
  trials.look(engine, minute);
  await expect.poll(() => onChange).toHaveBeenCalled();
  trials.look(engine, minute);
  expect(engine.tryGpu).toHaveBeenCalledTimes(1);
  expect(lines).toEqual([
    "A GPU (1.0) was tried: reading 2.1 times, writing 1.4 times the CPU's speed: in use from the next start",
  ]);
});

test('a request interrupts the trial, which is repeated later', async () => {
  const { trials, engine, lines, onChange } = setUp(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  );
  trials.look(engine, minute);
  trials.interrupt();
  await expect
    .poll(() => {
      trials.look(engine, minute);
      return engine.tryGpu;
    })
    .toHaveBeenCalledTimes(2);
  expect(lines).toEqual([]);
  expect(onChange).not.toHaveBeenCalled();
});

test('there is no trial if the engine needs none, is busy, or does not fit into memory a second time', () => {
  const none = setUp();
  none.trials.look(none.engine, minute);
  const busy = setUp(async () => {});
  const status = busy.engine.status();
  busy.engine.status = () => ({ ...status, state: 'decode' });
  busy.trials.look(busy.engine, minute);
  const poor = setUp(async () => {}, 1000);
  poor.engine.info.weightBytes = 1001;
  poor.trials.look(poor.engine, minute);
  for (const { engine } of [busy, poor]) expect(engine.tryGpu).not.toHaveBeenCalled();
});

test('the result of a trial is one line', () => {
  const { info } = new FakeEngine();
  const line = (gpuTrial: typeof info.gpuTrial, device: 'cpu' | 'gpu' = 'cpu') =>
    trialLine({ ...info, device, ...(gpuTrial && { gpuTrial }) });
  expect(line(undefined)).toBeNull();
  expect(line({ gpu, figures }, 'gpu')).toMatch(/speed: in use$/);
  expect(line({ gpu, figures: { ...figures, isFaster: false } })).toMatch(/speed: not in use$/);
  expect(line({ gpu: '', problem: 'the driver hangs' })).toBe('the GPU was tried and is not in use: the driver hangs');
});
