// LoRA adapters compute the right results, and requests with and without an adapter never affect each other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addonInfo, type Engine, type LoadOptions, loadEngine } from '../../native/index.ts';
import { type GgufSpec, writeGguf } from '../support/gguf-writer.ts';
import { type AdapterOptions, formatted, merged, rounded, syntheticAdapter } from '../support/synthetic-adapter.ts';
import { type SyntheticOptions, shapes, syntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-adapters-'));
afterAll(() => rmSync(folder, { recursive: true }));
const modelPath = join(folder, 'model.gguf');
const one = join(folder, 'one.gguf');
const other = join(folder, 'other.gguf');

const quantized: SyntheticOptions = { shape: shapes.tiny, quantization: 'q4_k_m' };
const exact: SyntheticOptions = { shape: shapes.tiny, quantization: 'f32' };

const load = (options: Partial<LoadOptions> = {}) => loadEngine({ modelPath, backend: 'cpu', threads: 2, ...options });
const prompt = (n: number, seed = 7) => Uint32Array.from({ length: n }, (_, i) => (i * 37 + seed * 101) % 900);

/** The same weights as a model of another family, whose files have the rows of Wq and Wk in a different order. */
function asLlama(model: GgufSpec): GgufSpec {
  const entries = Object.entries(model.metadata).map(([key, value]) => [key.replace(/^qwen2\./, 'llama.'), value]);
  return { ...model, metadata: { ...Object.fromEntries(entries), 'general.architecture': { string: 'llama' } } };
}

function nmse(ours: Float32Array, theirs: Float32Array): number {
  const energy = theirs.reduce((sum, value) => sum + value ** 2, 0);
  return theirs.reduce((sum, value, i) => sum + (value - (ours[i] ?? Number.NaN)) ** 2, 0) / energy;
}

const modelCases: [string, AdapterOptions, (() => GgufSpec)?][] = [
  ['of rank 16', {}],
  ['of rank 5', { rank: 5, alpha: 3 }],
  ['of rank 40', { rank: 40, alpha: 10 }],
  ['with an alpha of 0, which stands for the rank', { rank: 8, alpha: 0 }],
  ['with a negative alpha', { rank: 8, alpha: -4 }],
  ['for some matrices only', { matrices: ['attn_k', 'ffn_up', 'ffn_down'] }],
  ['for a fused projection', {}, () => syntheticModel({ ...exact, fusedQkv: true })],
  ['for a family that orders rows differently', {}, () => asLlama(syntheticModel({ ...exact, biases: false }))],
];

describe.each(modelCases)('an adapter %s computes the same as a model with it merged in', (_, options, modelOf) => {
  const mergedPath = join(folder, 'merged.gguf');

  beforeAll(() => {
    const make = modelOf ?? (() => syntheticModel(exact));
    const model = make();
    const adapter = syntheticAdapter(model, options);
    const rank = adapter.tensors[1]?.shape[0] ?? 0;
    writeGguf(modelPath, model);
    writeGguf(one, adapter);
    if (options.alpha === 0) adapter.metadata['adapter.lora.alpha'] = { f32: rank };
    writeGguf(mergedPath, merged(make(), adapter));
  });

  test.each(addonInfo().variants)('with the variant %s', async (variant) => {
    const engine = await load({ variant, adapters: [one] });
    const ours = await engine.logits(prompt(70), undefined, one);
    const plain = await engine.logits(prompt(70));
    await engine.close();
    const whole = await load({ variant, modelPath: mergedPath });
    const theirs = await whole.logits(prompt(70));
    await whole.close();
    expect(nmse(ours, theirs)).toBeLessThan(1e-7); // keys and values are f16
    expect(nmse(plain, theirs)).toBeGreaterThan(1e-3);
  });
});

describe('with a quantized model', () => {
  let engine: Engine;
  let alone: Engine;
  let rows: Map<string | undefined, Float32Array>;
  const tokens = prompt(150);
  const row = (adapter: string | undefined, i: number) => {
    const { vocabulary } = engine.info;
    return rows.get(adapter)?.subarray(i * vocabulary, (i + 1) * vocabulary);
  };
  const kinds = [undefined, one, other];

  beforeAll(async () => {
    const model = syntheticModel(quantized);
    writeGguf(modelPath, model);
    writeGguf(one, syntheticAdapter(model));
    // Products with this adapter are computed in eight bits.
    const matrices = ['attn_q', 'attn_v', 'ffn_up', 'ffn_down'];
    writeGguf(other, formatted(syntheticAdapter(model, { seed: 2, rank: 40, matrices }), 'q8_0'));
    [engine, alone] = [await load({ adapters: [one, other] }), await load()];
    rows = new Map();
    for (const adapter of kinds) rows.set(adapter, await engine.logits(tokens, undefined, adapter));
  });
  afterAll(() => Promise.all([engine.close(), alone.close()]));

  test('a request without an adapter gets the same bits as from an engine without adapters', async () => {
    expect(await engine.logits(tokens)).toEqual(await alone.logits(tokens));
    const request = { tokens, maxTokens: 30 };
    await engine.generate({ ...request, adapter: one });
    const [ours, plain] = [await engine.generate(request), await alone.generate(request)];
    expect(ours.tokens).toEqual(plain.tokens);
    expect(ours.logProbabilities).toEqual(plain.logProbabilities);
  });

  test('logits have the same bits with a warm and a cold cache, whichever adapter has read the text before', async () => {
    for (const length of [1, 31, 33, 64, tokens.length]) {
      await engine.clearCache();
      const text = tokens.subarray(0, length);
      for (const adapter of kinds)
        await engine.prefill(text.subarray(0, Math.ceil(length / 3)), 'background', undefined, adapter);
      for (const adapter of kinds)
        expect(await engine.lastLogits(text, 'foreground', undefined, adapter)).toEqual(row(adapter, length - 1));
    }
  });

  test('pages belong to one adapter, or to requests without an adapter', async () => {
    await engine.clearCache();
    const cached = async (adapter?: string) => {
      const request = { tokens, maxTokens: 1, ...(adapter !== undefined && { adapter }) };
      return (await engine.generate(request)).timings.cachedTokens;
    };
    for (const adapter of kinds) expect(await cached(adapter)).toBe(0);
    for (const adapter of kinds) expect(await cached(adapter)).toBe(tokens.length - 1);
  });

  test('answers are the same alone, in parallel, with drafts, and as alternatives', async () => {
    const requests = kinds.flatMap((adapter) =>
      [1, 4].map((alternatives) => ({
        tokens,
        maxTokens: 24,
        alternatives,
        ...(adapter !== undefined && { adapter }),
      })),
    );
    const single = [];
    for (const request of requests) {
      await engine.clearCache();
      single.push(await engine.generate({ ...request, speculate: false }));
    }
    await engine.clearCache();
    const together = await Promise.all(requests.map((request) => engine.generate(request)));
    for (const [i, answer] of together.entries()) {
      expect(answer.tokens).toEqual(single[i]?.tokens);
      expect(answer.logProbabilities).toEqual(single[i]?.logProbabilities);
      expect(answer.alternatives.map(({ tokens }) => tokens)).toEqual(
        single[i]?.alternatives.map(({ tokens }) => tokens),
      );
    }
    expect(new Set(together.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
  });

  test('continuations are scored with the adapter', async () => {
    const continuation = { given: Uint32Array.of(5), scored: Uint32Array.of(6, 7) };
    const scores = async (adapter?: string) =>
      (await engine.scoreContinuations(tokens, [continuation], 'foreground', undefined, adapter))[0];
    const [plain, adapted] = [await scores(), await scores(one)];
    expect(adapted).not.toEqual(plain);
    expect(plain).toEqual((await alone.scoreContinuations(tokens, [continuation]))[0]);
    const whole = await engine.score(Uint32Array.from([...tokens, 5, 6, 7]), undefined, one);
    expect(adapted?.[1]).toBeCloseTo(-(whole.at(-1) ?? 0), 3);
  });

  test('a pin keeps the pages of its adapter', async () => {
    await engine.clearCache();
    await engine.prefill(tokens, 'foreground', undefined, one);
    await engine.pin(1, tokens);
    expect(engine.status().cache.pagesHeld).toBe(0);
    await engine.pin(1, tokens, one);
    expect(engine.status().cache.pagesHeld).toBe(Math.ceil(tokens.length / 32));
    await engine.pin(1, new Uint32Array());
  });

  test('the error for an adapter that was not loaded names it', async () => {
    const message = 'the model was loaded without the adapter nowhere.gguf';
    const request = { tokens, maxTokens: 1, adapter: 'nowhere.gguf' };
    await expect(engine.generate(request)).rejects.toMatchObject({ code: 'bad-argument', message });
    expect(engine.info.adapters).toEqual([one, other]);
  });

  const logitsOf = async (name: string, adapter: GgufSpec) => {
    const path = join(folder, name);
    writeGguf(path, adapter);
    const different = await load({ adapters: [path] });
    const logits = await different.logits(tokens, undefined, path);
    await different.close();
    return logits;
  };

  test('an adapter file with the same values in f16 gives the same bits', async () => {
    const adapter = formatted(syntheticAdapter(syntheticModel(quantized)), 'f16');
    expect(await logitsOf('f16.gguf', adapter)).toEqual(rows.get(one));
  });

  test.each(['q8_0', 'q4_0'] as const)(
    'an adapter file with the same values in %s, whose products are computed in eight bits, gives nearly the same logits',
    async (format) => {
      const adapter = syntheticAdapter(syntheticModel(quantized));
      const values = rounded(adapter, format);
      const ours = await logitsOf(`${format}.gguf`, formatted(adapter, format));
      expect(nmse(ours, await logitsOf('rounded.gguf', values))).toBeLessThan(1e-3);
      expect(ours).toEqual(await logitsOf('eight.gguf', formatted(values, 'q8_0')));
    },
  );

  test('if a file has no alpha, its rank is used as alpha', async () => {
    const spec = syntheticAdapter(syntheticModel(quantized), { rank: 8, alpha: 8 });
    const expected = await logitsOf('alpha.gguf', spec);
    delete spec.metadata['adapter.lora.alpha'];
    expect(await logitsOf('no-alpha.gguf', spec)).toEqual(expected);
  });

  test('threads and a draft model do not change the answer, and pages can be int8', async () => {
    for (const adapter of [one, other]) {
      const answerOf = async (options: Partial<LoadOptions>) => {
        const different = await load({ adapters: [adapter], ...options });
        const answer = await different.generate({ tokens, maxTokens: 16, adapter });
        await different.close();
        return answer;
      };
      const usual = await answerOf({});
      for (const options of [{ threads: 1 }, { draftModelPath: modelPath }])
        expect((await answerOf(options)).tokens).toEqual(usual.tokens);
      expect((await answerOf({ kvType: 'int8' })).tokens.length).toBe(usual.tokens.length);
    }
  });
});

describe('the disk cache', () => {
  test('gives pages only to an adapter whose file has the same bytes', async () => {
    const model = syntheticModel(quantized);
    writeGguf(modelPath, model);
    writeGguf(one, syntheticAdapter(model));
    const diskFolder = join(folder, 'pages');
    const tokens = prompt(100);
    const open = (adapters: string[]) => load({ adapters, diskFolder, diskBytes: 2 ** 28 });
    const first = await open([one]);
    await first.prefill(tokens, 'foreground', undefined, one);
    await first.prefill(tokens.subarray(0, 40));
    const cold = await first.lastLogits(tokens, 'foreground', undefined, one);
    await first.close();
    const second = await open([one]);
    expect(second.info.restoredPages).toBe(4 + 2);
    expect(await second.lastLogits(tokens, 'foreground', undefined, one)).toEqual(cold);
    await second.close();
    writeGguf(one, syntheticAdapter(model, { seed: 3 }));
    const third = await open([one]);
    expect(third.info.restoredPages).toBe(2);
    await third.close();
    const without = await open([]);
    expect(without.info.restoredPages).toBe(2);
    await without.close();
  });
});
