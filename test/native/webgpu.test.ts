// Whole models with WebGPU, on Mesa's lavapipe, a driver that computes on the processor.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeGpus } from '../../native/gpu-driver.ts';
import { type Engine, gpuReport, loadEngine } from '../../native/index.ts';
import { writeSyntheticModel } from '../support/synthetic-model.ts';
import { hasWebgpu, useOwnCache } from '../support/webgpu.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-webgpu-'));
const starter = join(import.meta.dirname, '../../models/starter.gguf');
const tiny = join(folder, 'tiny.gguf');
const shape = { layers: 4, hidden: 256, heads: 2, kvHeads: 1, ffn: 256, vocabulary: 512, context: 1024, tied: false };
const cacheBytes = 2 ** 26; // 16 MiB for each layer
const tokens = Uint32Array.from({ length: 70 }, (_, i) => (i * 37) % 500);

beforeAll(() => {
  writeSyntheticModel(tiny, { shape, quantization: 'q4_k_m' });
});
const takeBack = useOwnCache(join(folder, 'cache'));
afterAll(() => {
  takeBack();
  rmSync(folder, { recursive: true });
});

const load = (modelPath = tiny, more: { diskFolder?: string } = {}): Promise<Engine> =>
  loadEngine({ modelPath, backend: 'webgpu', threads: 1, cacheBytes, diskBytes: 2 ** 25, ...more });
const onCpu = (modelPath = tiny) => loadEngine({ modelPath, backend: 'cpu', threads: 1, cacheBytes });

/** Does the work as if the GPU had this much memory. */
async function withMemory<T>(mib: number, work: () => Promise<T>): Promise<T> {
  process.env.HEARTH_WEBGPU_MEMORY = String(mib);
  return await work().finally(() => {
    delete process.env.HEARTH_WEBGPU_MEMORY;
  });
}

/** The mark files of other processes, which exist while a GPU works for such a process. */
const marks = () =>
  readdirSync(join(folder, 'cache/hearth')).filter((name) => /^gpu-work-/.test(name) && pidOf(name) !== process.pid);
const pidOf = (mark: string) => Number(mark.split('-').at(-2));
const patience = { timeout: 200_000, interval: 5 };

const best = (row: Float32Array) => row.indexOf(row.reduce((greatest, value) => Math.max(greatest, value)));

describe.runIf(hasWebgpu)('webgpu', () => {
  // All tokens are evaluated in one batch, which gives the same bits as one token at a time (test/kernels/webgpu tests
  // that).
  test("256 greedy tokens of the starter are the CPU's", async () => {
    const [gpu, cpu] = [await load(starter), await onCpu(starter)];
    expect(gpu.info).toMatchObject({ device: 'gpu', fallbackReason: '' });
    const prompt = gpu.tokenize('function add(a, b) {\n  return a + b;\n}\n\nfunction sub(');
    const { tokens: expected } = await cpu.generate({ tokens: prompt, maxTokens: 256 });
    expect(expected).toHaveLength(256);
    const text = Uint32Array.from([...prompt, ...expected.slice(0, -1)]);
    const n = gpu.info.vocabulary;
    const rowsOf = (logits: Float32Array) =>
      [...expected].map((_, i) => logits.subarray((prompt.length - 1 + i) * n, (prompt.length + i) * n));
    const [ours, theirs] = [rowsOf(await gpu.logits(text)), rowsOf(await cpu.logits(text))];
    // The token may differ if the CPU's two best logits differ by less than rounding errors.
    const isClear = (row: Float32Array = new Float32Array()) => {
      const [first = 0, second = 0] = row.toSorted((a, b) => b - a);
      return first - second > 0.5;
    };
    const wrong = ours.filter((row, i) => best(row) !== expected[i] && isClear(theirs[i]));
    expect(wrong).toEqual([]);
    expect(ours.filter((row, i) => best(row) === expected[i]).length).toBeGreaterThan(250);
    expect([...(await gpu.generate({ tokens: prompt, maxTokens: 4 })).tokens]).toEqual([...expected.slice(0, 4)]);
    await Promise.all([gpu.close(), cpu.close()]);
  });

  test.for([
    ['all', 4096, /^webgpu llvmpipe/, /^$/],
    ['half', 168, /^webgpu llvmpipe.* for [12] of 4 layers, cpu .* for the others$/, /^$/],
    ['none', 40, /^cpu /, /only \d+ are to be had/],
  ] as const)(
    'a model of which %s fits into the memory gives the same tokens, warm and cold',
    async ([name, mib, backend, reason]) => {
      const diskFolder = join(folder, `pages-${name}`);
      const gpu = await withMemory(mib, () => load(tiny, { diskFolder }));
      expect(gpu.info.backend).toMatch(backend);
      expect(gpu.info.fallbackReason).toMatch(reason);
      const cpu = await onCpu();
      const request = { tokens, maxTokens: 6 };
      expect((await gpu.generate(request)).tokens).toEqual((await cpu.generate(request)).tokens);
      const warm = await gpu.lastLogits(tokens);
      await gpu.clearCache();
      await gpu.prefill(tokens.slice(0, 33));
      expect(await gpu.lastLogits(tokens)).toEqual(warm);
      await gpu.close();
      const again = await withMemory(mib, () => load(tiny, { diskFolder }));
      expect(again.info.restoredPages).toBeGreaterThan(0);
      expect(await again.lastLogits(tokens)).toEqual(warm);
      await Promise.all([again.close(), cpu.close()]);
    },
  );

  test('a long prompt can be cancelled while it is evaluated', async () => {
    const gpu = await load(starter);
    const prompt = Uint32Array.from({ length: 400 }, (_, i) => (i * 37) % 500);
    const controller = new AbortController();
    const answer = gpu.generate({ tokens: prompt, maxTokens: 4 }, undefined, controller.signal);
    setTimeout(() => controller.abort(), 50);
    expect(await answer).toMatchObject({ finishReason: 'cancelled', tokens: new Uint32Array() });
    await gpu.close();
  });

  test('a driver that computes on the processor is used only by tests', async () => {
    expect(await describeGpus()).toMatch(/; llvmpipe .*\(webgpu, .*\)$/);
    vi.stubEnv('HEARTH_WEBGPU_ANY_ADAPTER', undefined);
    expect(await describeGpus()).toMatch(/; no WebGPU: no GPU has a driver of Vulkan, Metal or Direct3D 12$/);
    vi.stubEnv('HEARTH_WGPU_LIBRARY', '/nowhere/wgpu-native.library');
    expect(await describeGpus()).toMatch(/; no WebGPU: wgpu-native is not in this installation$/);
    vi.unstubAllEnvs();
  });

  test('a mixture of experts is left to the CPU', async () => {
    const engine = await load(join(import.meta.dirname, '../fixtures/reference/tiny-qwen3moe.gguf'));
    expect(engine.info).toMatchObject({
      device: 'cpu',
      fallbackReason: 'mixtures of experts do not run with WebGPU yet',
    });
    await engine.close();
  });

  test('the report has limits, verdicts on results and bits, and speeds, but no path', patience, async () => {
    const report = await gpuReport(undefined, true);
    expect(report).toMatch(/^llvmpipe .* \(webgpu, Vulkan, computes on the processor\)$/m);
    expect(report).toMatch(/^bindings of \d+ MiB, buffers of \d+ MiB, workgroups of \d+ threads with \d+ KiB$/m);
    expect(report).toMatch(/^right {2}a product with Q4_K$/m);
    expect(report).toMatch(/^right {2}the bits of SwiGLU with Q4_K, alone and in batches$/m);
    expect(report).toMatch(/^right {2}the bits of attention with heads of 128, alone and in batches$/m);
    expect(report).toMatch(/^self-test: passed$/m);
    expect(report).toMatch(/^Q4_K .* GB\/s .* TOPS$/m);
    expect(report).not.toMatch(/WRONG|[\\/](?!s\b|dev\b)\w+[\\/]/);
  });

  describe('used only if it is faster', () => {
    const request = { tokens, maxTokens: 4 };
    const race = { backend: 'webgpu-if-faster', modelPath: tiny, threads: 1, cacheBytes } as const;
    const trials = () => {
      const all = readdirSync(join(folder, 'cache/hearth'));
      return join(folder, 'cache/hearth', all.find((name) => name.startsWith('gpu-trials')) ?? 'no trials');
    };
    const remembered = () =>
      Object.values(JSON.parse(readFileSync(trials(), 'utf8')) as Record<string, { at: number }>);
    let trying: AbortController; // if a test fails, this ends the process of its trial, too
    beforeEach(() => {
      trying = new AbortController();
    });
    afterEach(() => trying.abort());

    test('a trial compares it with the CPU once; then the faster one is used', async () => {
      const diskFolder = join(folder, 'pages-race');
      const engine = await loadEngine({ ...race, diskFolder, diskBytes: 2 ** 25 });
      expect(engine.info).toMatchObject({ device: 'cpu' });
      expect(engine.info.gpuTrial).toBeUndefined();
      const expected = (await engine.generate(request)).tokens;
      await engine.tryGpu?.(trying.signal);
      const { gpuTrial } = engine.info;
      expect(gpuTrial).toMatchObject({ gpu: expect.stringMatching(/^llvmpipe .*\(.*\)$/) });
      expect(existsSync(diskFolder) ? readdirSync(diskFolder) : []).toEqual([]); // the trial's engine leaves no pages
      const { reading, writing, isFaster } = gpuTrial!.figures!;
      expect(isFaster).toBe(Math.min(reading, writing) >= 1 && Math.max(reading, writing) >= 1.3);
      await engine.close();

      for (const wins of [true, false]) {
        const file = readFileSync(trials(), 'utf8');
        writeFileSync(trials(), file.replace(/"isFaster":\w+/, `"isFaster":${wins}`));
        const next = await loadEngine(race);
        expect(next.info).toMatchObject({ device: wins ? 'gpu' : 'cpu', gpuTrial: { figures: { isFaster: wins } } });
        expect((await next.generate(request)).tokens).toEqual(expected);
        expect(next.tryGpu === undefined).toBe(wins);
        await next.tryGpu?.(trying.signal); // does nothing, since it is the same GPU
        expect(next.info.gpuTrial?.figures).toMatchObject({ reading, writing, isFaster: wins });
        await next.close();
      }
    });

    test('if a trial is aborted, nothing is recorded, no mark is left, and the CPU answers', async () => {
      rmSync(trials());
      const engine = await loadEngine({ ...race, modelPath: starter });
      const trial = engine.tryGpu?.(trying.signal);
      await vi.waitUntil(() => marks().length > 0, patience); // until the GPU has work
      trying.abort();
      await trial;
      expect(engine.info.gpuTrial).toBeUndefined();
      expect((await engine.generate(request)).tokens).toHaveLength(4);
      expect(remembered()).toEqual([{ begun: 0, at: expect.any(Number) }]);
      expect(marks()).toEqual([]);
      await engine.close();
    });

    test('if the driver ends the process of a trial, the CPU is used, and there is no trial for a day', async () => {
      rmSync(trials());
      const engine = await loadEngine({ ...race, modelPath: starter });
      const trial = engine.tryGpu?.(trying.signal);
      const mark = await vi.waitUntil(() => marks()[0], patience);
      process.kill(pidOf(mark), 'SIGABRT');
      await trial;
      expect(engine.info.gpuTrial).toMatchObject({
        problem: expect.stringMatching(/^the driver behind WebGPU ends the process that calls it \(SIGABRT\)/),
      });
      expect(marks()).toEqual([]);
      await engine.close();
      const next = await loadEngine({ ...race, modelPath: starter });
      expect(next.info).toMatchObject({ device: 'cpu', gpuTrial: { problem: expect.stringMatching(/SIGABRT/) } });
      await next.tryGpu?.(trying.signal);
      expect(remembered()).toMatchObject([{ begun: 0 }]);
      await next.close();
    });
  });

  // The library might end the process when the device is lost.
  test('after two processes have ended while the GPU had work, the next one completes on the CPU', async () => {
    const outfile = join(folder, 'program/crash.js');
    const contents = `
      import { readdirSync } from 'node:fs';
      import { loadEngine } from './native/index.ts';
      const isMark = (name) => name.startsWith('gpu-work-') && Number(name.split('-').at(-2)) === process.pid;
      void loadEngine({ modelPath: process.argv[2], backend: 'webgpu', threads: 1, cacheBytes: ${cacheBytes} }).then((engine) => {
        const tokens = Uint32Array.from({ length: 300 }, (_, i) => (i * 37) % 500);
        void engine.generate({ tokens, maxTokens: 100 });
        setInterval(() => readdirSync(process.argv[3]).some(isMark) && process.abort(), 5);
      });`;
    const root = join(import.meta.dirname, '../..');
    symlinkSync(join(root, 'dist'), join(folder, 'dist')); // the addon
    await build({ stdin: { contents, resolveDir: root, loader: 'ts' }, bundle: true, platform: 'node', outfile });
    const crash = () =>
      new Promise((resolve) => {
        spawn(process.execPath, [outfile, starter, join(folder, 'cache/hearth')], { stdio: 'ignore' }).on(
          'exit',
          resolve,
        );
      });
    await crash();
    await crash();
    const engine = await load(starter);
    expect(engine.info.fallbackReason).toMatch(/^Hearth has ended twice while the GPU had work/);
    expect((await engine.generate({ tokens, maxTokens: 8 })).tokens.length).toBeGreaterThan(0);
    await engine.close();
  });
});
