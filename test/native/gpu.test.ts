// The engine on a GPU: the emulated one behind a fake libamdhip64, which the C++ build makes beside its tests.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, type KvType, loadEngine, type ModelInfo } from '../../native/index.ts';
import { writeSyntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-gpu-'));
const modelPath = join(folder, 'tiny.gguf');
const gpuKernels = join(folder, 'kernels');
const hangFile = join(folder, 'hang');
const library = join(import.meta.dirname, '../../build/native/libfake_amdhip64.so');
// Small: the emulation takes a tenth of a millisecond for 16 rows of 32 weights.
const cacheBytes = 2 ** 22;
const shape = { layers: 2, hidden: 128, heads: 2, kvHeads: 1, ffn: 256, vocabulary: 512, context: 1024, tied: true };
const load = (backend: 'cpu' | 'hip', kvType: KvType = 'f16'): Promise<Engine> =>
  loadEngine({ modelPath, backend, gpuKernels, threads: 1, cacheBytes, kvType });

beforeAll(() => {
  writeSyntheticModel(modelPath, { shape, quantization: 'q8_0' });
  mkdirSync(gpuKernels);
  writeFileSync(join(gpuKernels, 'gfx1100.co'), 'code');
  process.env.HEARTH_HIP_LIBRARY = library;
  process.env.HEARTH_FAKE_GPU = `hang:${hangFile}`;
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true }));

const tokens = Uint32Array.from({ length: 70 }, (_, i) => (i * 37) % 500);

test.runIf(process.arch === 'x64')('the GPU writes the words of the CPU, warm as cold', async () => {
  expect(existsSync(library)).toBe(true);
  const gpu = await load('hip');
  expect(gpu.info).toMatchObject({ backend: 'hip gfx1100 Emulated GPU', whyCpu: '' });
  const cpu = await load('cpu');
  const request = { tokens, maxTokens: 12 };
  const expected = await cpu.generate(request);
  const cold = await gpu.generate(request);
  expect(cold.tokens).toEqual(expected.tokens);
  const { logProbabilities } = await gpu.generate({ ...request, speculate: false });
  expect(logProbabilities).toEqual(cold.logProbabilities);
  const warm = await gpu.lastLogits(tokens);
  await gpu.clearCache();
  expect(await gpu.lastLogits(tokens)).toEqual(warm);
  await Promise.all([gpu.close(), cpu.close()]);
});

test.runIf(process.arch === 'x64')('a GPU asked for a cache of int8 keeps f16, and says so', async () => {
  const [gpu, plain] = [await load('hip', 'int8'), await load('hip')];
  expect(gpu.info).toMatchObject({ whyCpu: '', kvType: 'f16' });
  expect(gpu.status().cache.pageBytes).toBe(plain.status().cache.pageBytes);
  await Promise.all([gpu.close(), plain.close()]);
});

test.runIf(process.arch === 'x64')('a GPU that hangs is left for the CPU, and no answer is lost', async () => {
  const engine = await load('hip');
  const moved: ModelInfo[] = [];
  engine.onMovedToCpu = (info) => moved.push(info);
  const before = await engine.generate({ tokens, maxTokens: 4 });
  const streaming = engine.generate({ tokens, maxTokens: 400 }, () => writeFileSync(hangFile, ''));
  // Keeps the GPU's engine busy, without the GPU, until the CPU's has taken its place.
  const text = Uint32Array.from({ length: 16_000 }, (_, i) => (i * i) % 499);
  const learning = Promise.all(Array.from({ length: 50 }, () => engine.learn(text)));
  const waiting = engine.generate({ tokens, maxTokens: 4, priority: 'background' });
  await expect(streaming).rejects.toMatchObject({ code: 'backend-failed' });
  expect((await waiting).tokens).toEqual(before.tokens);
  await learning;
  expect(engine.info.backend).toMatch(/^cpu /);
  expect(engine.info.whyCpu).toBe('GPU gfx1100 Emulated GPU: did not answer for 10000 ms');
  expect(moved).toEqual([engine.info]);
  expect((await engine.generate({ tokens, maxTokens: 4 })).tokens).toEqual(before.tokens);
  await engine.close();
  rmSync(hangFile);
});
