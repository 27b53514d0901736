// The engine on a GPU, which a fake libamdhip64 or a fake libcuda emulates. The C++ build makes these libraries beside
// its tests.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, gpuReport, type KvType, loadEngine, type ModelInfo } from '../../native/index.ts';
import { writeGguf } from '../support/gguf-writer.ts';
import { formatted, rounded, syntheticAdapter } from '../support/synthetic-adapter.ts';
import { syntheticModel, writeSyntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-gpu-'));
const modelPath = join(folder, 'tiny.gguf');
const gpuKernels = join(folder, 'kernels');
const hangFile = join(folder, 'hang');
const fakeLibrary = (name: string) => join(import.meta.dirname, `../../build/native/libfake_${name}.so`);
// The cache and the model are small, because the emulation takes a tenth of a millisecond for 16 rows of 32 weights.
const cacheBytes = 2 ** 22;
const shape = { layers: 2, hidden: 128, heads: 2, kvHeads: 1, ffn: 256, vocabulary: 512, context: 1024, tied: true };
/** Sets HEARTH_FAKE_GPU during the work. test/kernels/hip/fake_gpu.h explains its values. */
async function withFault<T>(fault: string, work: () => Promise<T>): Promise<T> {
  const before = process.env.HEARTH_FAKE_GPU;
  process.env.HEARTH_FAKE_GPU = fault;
  return await work().finally(() => {
    process.env.HEARTH_FAKE_GPU = before;
  });
}
const load = (backend: 'cpu' | 'hip' | 'cuda', kvType: KvType = 'f16'): Promise<Engine> =>
  loadEngine({ modelPath, backend, gpuKernels, threads: 1, cacheBytes, kvType });

beforeAll(() => {
  writeSyntheticModel(modelPath, { shape, quantization: 'q8_0' });
  mkdirSync(gpuKernels);
  for (const name of ['gfx1100.co', 'nvidia.fatbin']) writeFileSync(join(gpuKernels, name), 'code');
  process.env.HEARTH_HIP_LIBRARY = fakeLibrary('amdhip64');
  process.env.HEARTH_CUDA_LIBRARY = fakeLibrary('cuda');
  process.env.HEARTH_FAKE_GPU = `hang:${hangFile}`;
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true }));

function nmse(ours: Float32Array, theirs: Float32Array): number {
  const energy = theirs.reduce((sum, value) => sum + value ** 2, 0);
  return theirs.reduce((sum, value, i) => sum + (value - (ours[i] ?? Number.NaN)) ** 2, 0) / energy;
}

const tokens = Uint32Array.from({ length: 70 }, (_, i) => (i * 37) % 500);

test.runIf(process.arch === 'x64').for([
  ['hip', 'amdhip64', 'hip gfx1100 Emulated GPU'],
  ['cuda', 'cuda', 'cuda sm_90 NVIDIA Large'],
] as const)('a GPU with %s generates the same tokens as the CPU, warm and cold', async ([backend, library, name]) => {
  expect(existsSync(fakeLibrary(library))).toBe(true);
  const gpu = await load(backend);
  expect(gpu.info).toMatchObject({ device: 'gpu', backend: name, fallbackReason: '' });
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

test.runIf(process.arch === 'x64')("a prompt's time includes the GPU's work until the prompt is read", async () => {
  const gpu = await load('hip');
  for (const n of [4, 20]) {
    await gpu.clearCache();
    const { prefillMs } = await withFault('slow:500', () => gpu.prefill(tokens.slice(0, n)));
    expect(prefillMs).toBeGreaterThanOrEqual(500);
  }
  await gpu.close();
});

test.runIf(process.arch === 'x64')(
  'if the GPU runs out of memory while the model is loaded, the CPU is used',
  async () => {
    const large = { modelPath, gpuKernels, threads: 1, cacheBytes: 80 * 2 ** 20 };
    const engine = await withFault('full', () => loadEngine({ ...large, backend: 'hip' }));
    expect(engine.info.backend).toMatch(/^cpu /);
    expect(engine.info.fallbackReason).toBe(
      'GPU gfx1100 Emulated GPU: the KV cache needs 80 MiB but only 6400 MiB of 8192 MiB are free; choose a smaller model',
    );
    await engine.close();
  },
);

// Results differ slightly from the CPU's: sums have another order, and keys, values and activations are rounded. If
// rounding changes one code, later layers change others: even on the CPU, an alpha that is larger by a millionth
// changes some logits of this model by an NMSE of 1e-4. So the test compares the mean over all tokens.
test.runIf(process.arch === 'x64').for(['f32', 'f16', 'q8_0', 'q4_0'] as const)(
  'a GPU applies an adapter of %s as the CPU does in F32, warm and cold, and only to requests with the adapter',
  async (format) => {
    const [adapter, exact] = [join(folder, `${format}.gguf`), join(folder, 'exact.gguf')];
    const spec = syntheticAdapter(syntheticModel({ shape, quantization: 'q8_0' }));
    writeGguf(adapter, formatted(spec, format));
    writeGguf(exact, rounded(spec, format));
    const options = { modelPath, gpuKernels, threads: 1, cacheBytes, adapters: [adapter, exact] };
    const [gpu, plain] = [await loadEngine({ ...options, backend: 'hip' }), await load('hip')];
    const cpu = await loadEngine({ ...options, backend: 'cpu' });
    expect(gpu.info).toMatchObject({ device: 'gpu', fallbackReason: '' });
    const all = (engine: Engine, path?: string) => engine.logits(tokens, undefined, path);
    const [ours, theirs, without] = [await all(gpu, adapter), await all(cpu, exact), await all(gpu)];
    expect(nmse(ours, theirs)).toBeLessThan(1e-4);
    expect(nmse(without, theirs)).toBeGreaterThan(1e-2);
    expect(without).toEqual(await all(plain));
    await gpu.clearCache();
    for (const n of [1, 4, 40]) await gpu.prefill(tokens.slice(0, n), 'foreground', undefined, adapter);
    expect(await gpu.lastLogits(tokens, 'foreground', undefined, adapter)).toEqual(ours.slice(-shape.vocabulary));
    const request = { tokens, maxTokens: 8 };
    const answers = await Promise.all([gpu.generate({ ...request, adapter }), gpu.generate(request)]);
    expect(answers[0].tokens).toEqual((await cpu.generate({ ...request, adapter })).tokens);
    expect(answers[1].tokens).toEqual((await plain.generate(request)).tokens);
    await Promise.all([gpu.close(), cpu.close(), plain.close()]);
  },
);

test.runIf(process.arch === 'x64').for([
  ['a tied head', true],
  ['a head of its own', false],
] as const)('a model with %s that does not fit into the GPU has only its last layers there', async ([, tied]) => {
  const path = join(folder, `split-${tied}.gguf`);
  writeSyntheticModel(path, { shape: { ...shape, layers: 3, tied }, quantization: 'q8_0' });
  const adapter = join(folder, 'split-adapter.gguf');
  writeGguf(adapter, syntheticAdapter(syntheticModel({ shape: { ...shape, layers: 3, tied }, quantization: 'q8_0' })));
  const diskFolder = join(folder, `split-pages-${tied}`);
  const large = { modelPath: path, threads: 1, cacheBytes: 96 * 2 ** 20, adapters: [adapter] };
  const open = () => loadEngine({ ...large, backend: 'hip', gpuKernels, diskFolder, diskBytes: 2 ** 25 });
  // The desktop gets 768 MiB. A layer with its keys and values takes 32 MiB, workspaces take a little over 26.
  const free = (768 + 95) * 2 ** 20;
  const gpu = await withFault(`free:${free}`, open);
  expect(gpu.info).toMatchObject({ device: 'gpu', fallbackReason: '' });
  expect(gpu.info.backend).toMatch(/^hip gfx1100 Emulated GPU for 2 of 3 layers, cpu .* for the others$/);
  const cpu = await loadEngine({ ...large, backend: 'cpu' });
  const request = { tokens, maxTokens: 8 };
  for (const asked of [request, { ...request, adapter }])
    expect((await gpu.generate(asked)).tokens).toEqual((await cpu.generate(asked)).tokens);
  const warm = await gpu.lastLogits(tokens);
  await gpu.clearCache();
  await gpu.prefill(tokens.slice(0, 33));
  expect(await gpu.lastLogits(tokens)).toEqual(warm);
  await gpu.close();
  const again = await withFault(`free:${free}`, open);
  expect(again.info.restoredPages).toBeGreaterThan(0);
  expect(await again.lastLogits(tokens)).toEqual(warm);
  await Promise.all([again.close(), cpu.close()]);
});

// Hearth computes the number of layers that fit before it uploads anything. If an allocation failed, the whole model
// would run on the CPU.
test.runIf(process.arch === 'x64')('as many layers are on a GPU as fit into its memory', async () => {
  const path = join(folder, 'fitting.gguf');
  writeSyntheticModel(path, { shape: { ...shape, hidden: 256, layers: 4, tied: false }, quantization: 'q4_k_m' });
  await (await load('hip')).close(); // runs the self-test now, because it needs memory, too
  const counts: number[] = [];
  for (let mib = 12; mib <= 60; mib += 4) {
    const engine = await withFault(`memory:${(768 + mib) * 2 ** 20}`, () =>
      loadEngine({ modelPath: path, backend: 'hip', gpuKernels, threads: 1, cacheBytes: 16 * 2 ** 20 }),
    );
    const { backend, device, fallbackReason } = engine.info;
    if (device === 'cpu')
      expect(fallbackReason).toMatch(/the model and its cache need|not even one layer of the model fits/);
    else if (mib % 16 === 0) await engine.generate({ tokens, maxTokens: 2 });
    counts.push(device === 'cpu' ? 0 : Number(/for (\d) of 4 layers/.exec(backend)?.[1] ?? 4));
    await engine.close();
  }
  expect(counts).toEqual(counts.toSorted());
  expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3, 4]));
});

// The limits of the error (NMSE) are the errors of the CPU and of llama.cpp on the same prompt, plus 5 %.
test.runIf(process.arch === 'x64').for([
  ['qwen3moe', 5.48e-3],
  ['mellum', 1.36e-3],
] as const)(
  'experts on a GPU give the logits of transformers, warm and cold, and also with a layer on the CPU: %s',
  async ([family, greatest]) => {
    const reference = join(import.meta.dirname, `../fixtures/reference/tiny-${family}`);
    const { prompts } = JSON.parse(readFileSync(`${reference}.json`, 'utf8')) as { prompts: { tokens: number[] }[] };
    const prompt = Uint32Array.from(prompts[2]?.tokens ?? []);
    const exact = new Float32Array(Uint8Array.from(readFileSync(`${reference}.2.f32`)).buffer);
    const options = { modelPath: `${reference}.gguf`, backend: 'hip' as const, gpuKernels, threads: 1 };
    const whole = await loadEngine({ ...options, cacheBytes });
    expect(whole.info).toMatchObject({ device: 'gpu', fallbackReason: '' });
    const logits = (await whole.logits(prompt)).subarray(-exact.length);
    const error = exact.reduce((sum, value, i) => sum + ((logits[i] ?? Number.NaN) - value) ** 2, 0);
    const energy = exact.reduce((sum, value) => sum + value ** 2, 0);
    expect(error / energy).toBeLessThan(greatest);
    await whole.clearCache();
    for (const n of [40, 41, 100, prompt.length - 1]) await whole.prefill(prompt.subarray(0, n));
    expect(await whole.lastLogits(prompt)).toEqual(logits.subarray(-exact.length / 8));
    await whole.close();
    // The desktop gets 768 MiB, and one layer's keys and values take half of the cache.
    const split = await withFault(`free:${(768 + 66) * 2 ** 20}`, () =>
      loadEngine({ ...options, cacheBytes: 64 * 2 ** 20 }),
    );
    expect(split.info.backend).toMatch(/for 1 of 2 layers/);
    const last = await split.lastLogits(prompt);
    await split.clearCache();
    await split.prefill(prompt.subarray(0, 33));
    expect(await split.lastLogits(prompt)).toEqual(last);
    await split.close();
  },
);

test.runIf(process.arch === 'x64')('if a GPU fails while pages are restored from disk, the CPU is used', async () => {
  const diskFolder = join(folder, 'pages');
  const open = () =>
    loadEngine({ modelPath, backend: 'hip', gpuKernels, threads: 1, cacheBytes, diskFolder, diskBytes: 2 ** 24 });
  const gpu = await open();
  const request = { tokens, maxTokens: 4 };
  const expected = await gpu.generate(request);
  const { pageBytes } = gpu.status().cache;
  await gpu.close();
  const cpu = await withFault(`copy:${pageBytes}`, open);
  expect(cpu.info.backend).toMatch(/^cpu /);
  expect(cpu.info.fallbackReason).toMatch(/^GPU gfx1100 Emulated GPU: /);
  expect((await cpu.generate(request)).tokens).toEqual(expected.tokens);
  await cpu.close();
});

test.runIf(process.arch === 'x64')('a GPU uses f16 in place of an int8 cache, and says so', async () => {
  const [gpu, plain] = [await load('hip', 'int8'), await load('hip')];
  expect(gpu.info).toMatchObject({ fallbackReason: '', kvType: 'f16' });
  expect(gpu.status().cache.pageBytes).toBe(plain.status().cache.pageBytes);
  await Promise.all([gpu.close(), plain.close()]);
});

test.runIf(process.arch === 'x64')('a draft model is not used if the whole model is on a GPU', async () => {
  const options = { modelPath, draftModelPath: modelPath, gpuKernels, threads: 1, cacheBytes };
  const engine = await loadEngine({ ...options, backend: 'hip' });
  expect(engine.info.draftProblem).toBe(`${modelPath}: a draft model runs on the CPU, which is too slow beside a GPU`);
  expect((await engine.generate({ tokens, maxTokens: 4 })).tokens).toHaveLength(4);
  await engine.close();
});

test.runIf(process.arch === 'x64')('if a GPU hangs, the CPU takes over, and no waiting request is lost', async () => {
  const engine = await load('hip');
  const moved: ModelInfo[] = [];
  engine.onMovedToCpu = (info) => moved.push(info);
  const before = await engine.generate({ tokens, maxTokens: 4 });
  const streaming = engine.generate({ tokens, maxTokens: 400 }, () => writeFileSync(hangFile, ''));
  // Keeps the GPU's engine busy, without using the GPU, until the CPU's engine has replaced it.
  const text = Uint32Array.from({ length: 16_000 }, (_, i) => (i * i) % 499);
  const learning = Promise.all(Array.from({ length: 50 }, () => engine.learn(text)));
  const waiting = engine.generate({ tokens, maxTokens: 4, priority: 'background' });
  await expect(streaming).rejects.toMatchObject({ code: 'backend-failed' });
  expect((await waiting).tokens).toEqual(before.tokens);
  await learning;
  expect(engine.info.backend).toMatch(/^cpu /);
  expect(engine.info.fallbackReason).toBe('GPU gfx1100 Emulated GPU: did not answer for 10000 ms');
  expect(moved).toEqual([engine.info]);
  expect((await engine.generate({ tokens, maxTokens: 4 })).tokens).toEqual(before.tokens);
  await engine.close();
  rmSync(hangFile);
});

test.runIf(process.arch === 'x64')(
  'the report names each GPU, says that its results are right, and gives its speed',
  async () => {
    const report = await gpuReport(gpuKernels, true);
    for (const name of ['gfx1100 Emulated GPU', 'sm_90 NVIDIA Large', 'sm_90 NVIDIA Small'])
      expect(report).toContain(name);
    expect(report.match(/^self-test: passed$/gm)).toHaveLength(3);
    expect(report.match(/^q4_k .* GB\/s .* TOPS$/gim)).toHaveLength(3);
  },
);
