// Tries the product's WebGPU backend on this machine's GPU: `program.cjs WHAT [MODEL]`, run by run.mjs.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, gpuReport, type LoadOptions, loadEngine } from '../../../../native/index.ts';
import { argmax, floats, nmse } from '../../../../test/support/exact-logits.ts';
import { shapes, writeSyntheticModel } from '../../../../test/support/synthetic-model.ts';

const cacheBytes = 2 ** 28;
const smallIds = (n: number) => Uint32Array.from({ length: n }, (_, i) => (i * 37) % 500);
let wrong = 0;

function check(what: string, isRight: boolean, more = ''): void {
  if (!isRight) wrong++;
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${what} ${more}`);
}

async function load(options: LoadOptions, isOnGpu = options.backend !== 'cpu'): Promise<Engine> {
  const engine = await loadEngine({ cacheBytes, ...options });
  const { backend, fallbackReason, loadMs, device } = engine.info;
  console.log(`     ${backend}, loaded in ${loadMs.toFixed(0)} ms ${fallbackReason}`);
  if (isOnGpu !== (device === 'gpu')) check(`${options.modelPath} is on the ${isOnGpu ? 'GPU' : 'CPU'}`, false);
  return engine;
}

const isEqual = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  a.length === b.length && Array.prototype.every.call(a, (value, i) => value === b[i]);
const isClear = (row: Float32Array, margin = 0.5) => {
  const [first = 0, second = 0] = row.toSorted((a, b) => b - a);
  return first - second > margin;
};
/**
 * The difference between the two greatest logits, in standard deviations. Logits from two correct engines differ by up
 * to 0.17.
 */
async function marginOf(engine: Engine, tokens: number[]): Promise<number> {
  const logits = await engine.lastLogits(Uint32Array.from(tokens));
  const mean = logits.reduce((sum, value) => sum + value, 0) / logits.length;
  const squares = logits.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const [first = 0, second = 0] = logits.toSorted((a, b) => b - a);
  return (first - second) / Math.sqrt(squares / logits.length);
}
interface Reference {
  n_vocab: number;
  prompts: { tokens: number[]; rows: number; greedy: { id: number; margin: number }[] }[];
}

/**
 * Checks the greedy tokens, and that the logits are about as close to exact arithmetic as the CPU's
 * (test/native/reference.test.ts has the limits).
 */
async function reference(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => /^tiny.*\.gguf$/.test(name) && !/moe|mellum/.test(name));
  for (const file of names) {
    const name = file.slice(0, -'.gguf'.length);
    const json = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Reference;
    const distances: Record<string, number> = {};
    let nTokens = 0;
    let nWrong = 0;
    for (const backend of ['cpu', 'webgpu'] as const) {
      const engine = await load({ modelPath: join(folder, file), backend });
      let sum = 0;
      for (const [i, { tokens, rows, greedy }] of json.prompts.entries()) {
        const ours = await engine.logits(Uint32Array.from(tokens));
        const exact = floats(join(folder, `${name}.${i}.f32`));
        sum += nmse(ours.subarray(-Math.min(rows, 8) * json.n_vocab), exact) / json.prompts.length;
        if (backend === 'cpu') continue;
        const given = greedy.map(({ id }) => id);
        const logits = await engine.logits(Uint32Array.from([...tokens, ...given.slice(0, -1)]));
        for (const [at, { id, margin }] of greedy.entries()) {
          if (margin <= 0.5) continue;
          const start = (tokens.length - 1 + at) * json.n_vocab;
          nTokens++;
          if (argmax(logits.subarray(start, start + json.n_vocab)) !== id) nWrong++;
        }
      }
      distances[backend] = sum;
      await engine.close();
    }
    const { cpu = 0, webgpu = 0 } = distances;
    const isRight = webgpu < Math.max(1.05 * cpu, cpu + 1e-7) && nWrong === 0 && nTokens > 0;
    const [ours, theirs] = [webgpu, cpu].map((each) => each.toExponential(3));
    const numbers = `NMSE ${ours}, the CPU's ${theirs}; ${nWrong} of ${nTokens} tokens are wrong`;
    check(`${name}: as close to the reference as the CPU`, isRight, numbers);
  }
}

/** With all, half, and none of a model on the GPU: checks its tokens, a warm cache, and pages restored from disk. */
async function places(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-product-'));
  const modelPath = join(folder, 'tiny.gguf');
  const shape = { layers: 4, hidden: 256, heads: 2, kvHeads: 1, ffn: 256, vocabulary: 512, context: 1024, tied: false };
  writeSyntheticModel(modelPath, { shape, quantization: 'q4_k_m' });
  const tokens = smallIds(70);
  const cpu = await load({ modelPath, backend: 'cpu', cacheBytes: 2 ** 26 });
  const expected = (await cpu.generate({ tokens, maxTokens: 6 })).tokens;
  for (const [name, mib] of [
    ['all', 4096],
    ['half', 168],
    ['none', 40],
  ] as const) {
    process.env.HEARTH_WEBGPU_MEMORY = String(mib);
    const diskFolder = join(folder, `pages-${name}`);
    const options = { modelPath, backend: 'webgpu', cacheBytes: 2 ** 26, diskFolder, diskBytes: 2 ** 25 } as const;
    const engine = await load(options, name !== 'none');
    const ours = (await engine.generate({ tokens, maxTokens: 6 })).tokens;
    const differsAt = [...expected].findIndex((token, i) => ours[i] !== token);
    const margin = differsAt < 0 ? 0 : await marginOf(cpu, [...tokens, ...expected.slice(0, differsAt)]);
    check(
      `${name} on the GPU: the CPU's tokens`,
      margin < 0.17,
      differsAt < 0 ? '' : `except token ${differsAt}, margin ${margin.toFixed(3)}`,
    );
    const warm = await engine.lastLogits(tokens);
    await engine.clearCache();
    await engine.prefill(tokens.slice(0, 33));
    check(
      `${name} on the GPU: equal logits with a warm and a cold cache`,
      isEqual(await engine.lastLogits(tokens), warm),
    );
    await engine.close();
    const again = await load(options, name !== 'none');
    check(`${name} on the GPU: pages are restored from disk`, (again.info.restoredPages ?? 0) > 0);
    check(`${name} on the GPU: equal logits with pages from disk`, isEqual(await again.lastLogits(tokens), warm));
    await again.close();
  }
  delete process.env.HEARTH_WEBGPU_MEMORY;
  await cpu.close();
  rmSync(folder, { recursive: true });
}

/**
 * Compares greedy tokens with the CPU's, alone and in a batch. Checks that batches, pieces of a prompt and repetition
 * do not change bits, and that cancelling works.
 */
async function tokens(modelPath: string, count = 256): Promise<void> {
  const gpu = await load({ modelPath, backend: 'webgpu' });
  const cpu = await load({ modelPath, backend: 'cpu' });
  const prompt = gpu.tokenize('function add(a, b) {\n  return a + b;\n}\n\nfunction sub(');
  const request = { tokens: prompt, maxTokens: count, speculate: false };
  const theirs = (await cpu.generate(request)).tokens;
  const ours = (await gpu.generate(request)).tokens;
  const n = gpu.info.vocabulary;
  const text = Uint32Array.from([...prompt, ...theirs.slice(0, -1)]);
  const [a, b] = [await gpu.logits(text), await cpu.logits(text)];
  const row = (all: Float32Array, i: number) => all.subarray((prompt.length - 1 + i) * n, (prompt.length + i) * n);
  const different = [...theirs.keys()].filter((i) => argmax(row(a, i)) !== theirs[i]);
  const clear = different.filter((i) => isClear(row(b, i)));
  const differsAt = [...theirs.keys()].findIndex((i) => ours[i] !== theirs[i]);
  const end = differsAt < 0 ? 'the end' : differsAt;
  const more = `${theirs.length} tokens; ${different.length} differ in a batch; alone equal up to ${end}`;
  check("greedy tokens: the CPU's", clear.length === 0 && different.length < theirs.length / 40, more);
  check('greedy tokens: equal in two runs', isEqual((await gpu.generate(request)).tokens, ours));
  const last = await gpu.lastLogits(text);
  check('equal bits: a token alone and in a batch', isEqual(last, row(a, theirs.length - 1)));
  let nDifferent = 0;
  for (const cut of [1, 2, 5, 31, 32, 33, 63, 64, 65, text.length - 1]) {
    await gpu.clearCache();
    await gpu.prefill(text.slice(0, cut));
    if (!isEqual(await gpu.lastLogits(text), last)) nDifferent++;
  }
  check('equal bits: a prompt in two pieces, cut in ten ways', nDifferent === 0, `${nDifferent} differ`);
  nDifferent = 0;
  for (let round = 0; round < 20; round++) {
    await gpu.clearCache();
    if (!isEqual(await gpu.lastLogits(text), last)) nDifferent++;
  }
  check('equal bits: the same prompt twenty times', nDifferent === 0, `${nDifferent} differ`);
  await cancel(gpu);
  await Promise.all([gpu.close(), cpu.close()]);
}

async function cancel(gpu: Engine): Promise<void> {
  const long = smallIds(Math.min(6000, gpu.info.contextTokens - 10));
  const controller = new AbortController();
  let abortedAt = 0;
  const answer = gpu.generate({ tokens: long, maxTokens: 4 }, undefined, controller.signal);
  setTimeout(() => {
    abortedAt = performance.now();
    controller.abort();
  }, 15);
  const { finishReason } = await answer;
  const ms = performance.now() - abortedAt;
  check('cancelled during prefill', finishReason === 'cancelled', `${long.length} tokens, after ${ms.toFixed(1)} ms`);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Prints the median and the best speeds, in tokens/s. */
async function speeds(modelPath: string, backend: 'webgpu' | 'cuda' | 'cpu', rounds = 7): Promise<void> {
  const engine = await load({ modelPath, backend, cacheBytes: 2 ** 29 });
  const most = Math.min(20_000, engine.info.vocabulary - 100);
  const ids = (n: number, seed: number) => Uint32Array.from({ length: n }, (_, i) => (i * 37 + seed * 104_729) % most);
  const show = (what: string, ms: number[], n: number) => {
    const [middle, least] = [median(ms), Math.min(...ms)].map((each) => ((1000 * n) / each).toFixed(0));
    console.log(
      `${backend} ${what}: ${middle} tokens/s, the best ${least} (${ms.map((each) => (each / n).toFixed(3)).join(' ')})`,
    );
  };
  for (const n of [32, 512]) {
    const ms: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      await engine.clearCache();
      const { prefillMs } = await engine.prefill(ids(n, round));
      if (round > 0) ms.push(prefillMs);
    }
    show(`prompt of ${n}`, ms, n);
  }
  for (const at of [32, 512]) {
    const ms: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { timings } = await engine.generate({ tokens: ids(at, round), maxTokens: 129, speculate: false });
      ms.push(timings.decodeMs / timings.decodePasses);
    }
    show(`decode at ${at}`, ms, 1);
  }
  await engine.close();
}

/** Tries the GPU's speed, and loads the model as the product does: on the GPU only if that is faster. */
async function race(modelPath: string): Promise<void> {
  const options = { modelPath, backend: 'webgpu-if-faster' } as const;
  const first = await load(options, false);
  const start = performance.now();
  await first.tryGpu?.(new AbortController().signal);
  console.log(`     the trial took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  console.log(`race ${JSON.stringify(first.info.gpuTrial)}`);
  await first.close();
  const wins = first.info.gpuTrial?.figures?.isFaster ?? false;
  const next = await load(options, wins);
  check(
    'the speed trial decides where the model is loaded next',
    (next.info.device === 'gpu') === wins,
    next.info.backend,
  );
  await next.close();
}

const [, , what, model = '', backend = 'webgpu', n] = process.argv;
const parts: Record<string, () => Promise<void>> = {
  model: async () => {
    if (!existsSync(model)) writeSyntheticModel(model, { shape: shapes[backend as '1.5b'], quantization: 'q4_k_m' });
  },
  report: async () => console.log(await gpuReport(undefined, model === 'brief')),
  reference: () => reference(model),
  places,
  tokens: () => tokens(model, n ? Number(n) : undefined),
  speeds: () => speeds(model, backend as 'webgpu', n ? Number(n) : undefined),
  race: () => race(model),
};
void (async () => {
  try {
    await parts[what ?? '']?.();
  } catch (error) {
    wrong++;
    console.log('WRONG', error);
  }
  process.exitCode = wrong > 0 ? 1 : 0;
})();
