// Model families other than qwen2. The same weights in the layout of another family's files give the same logits, bit
// for bit. reference.test.ts compares each family with another implementation.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeModel, loadEngine } from '../../native/index.ts';
import { type GgufSpec, type GgufValue, type TensorSpec, writeGguf } from '../support/gguf-writer.ts';
import { type Quantization, shapes, syntheticModel } from '../support/synthetic-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-families-'));
afterAll(() => rmSync(folder, { recursive: true }));

const headDim = shapes.tiny.hidden / shapes.tiny.heads;
const tokens = Uint32Array.from({ length: 40 }, (_, i) => (i * 37) % 600);

const qwen2 = (quantization: Quantization) => syntheticModel({ shape: shapes.tiny, quantization });

function asLlama(spec: GgufSpec, keys: Record<string, GgufValue> = {}): GgufSpec {
  const renamed = Object.entries(spec.metadata).map(([key, value]) => [key.replace(/^qwen2\./, 'llama.'), value]);
  return {
    metadata: { ...Object.fromEntries(renamed), 'general.architecture': { string: 'llama' }, ...keys },
    tensors: spec.tensors.map((tensor) => (/attn_[qk]\./.test(tensor.name) ? inNeighbours(tensor) : tensor)),
  };
}

/**
 * Reorders the rows of each head. RoPE rotates pairs of rows: in qwen2 rows i and i + headDim / 2, in llama the
 * neighbours 2i and 2i + 1.
 */
function inNeighbours(tensor: TensorSpec): TensorSpec {
  const fill = (write: (bytes: Uint8Array) => void) => {
    const pieces: Uint8Array[] = [];
    tensor.fill((bytes) => pieces.push(bytes));
    const bytes = Buffer.concat(pieces);
    const nRows = tensor.shape.at(-1) ?? 1;
    const row = bytes.length / nRows;
    for (let to = 0; to < nRows; to++) {
      const i = to % headDim;
      const from = to - i + (i % 2 === 0 ? i / 2 : headDim / 2 + (i - 1) / 2);
      write(bytes.subarray(from * row, (from + 1) * row));
    }
  };
  return { ...tensor, fill };
}

async function logitsOf(spec: GgufSpec, kvType: 'f16' | 'int8' = 'f16'): Promise<Float32Array> {
  const path = join(folder, 'model.gguf');
  writeGguf(path, spec);
  const engine = await loadEngine({ modelPath: path, kvType });
  try {
    return await engine.logits(tokens);
  } finally {
    await engine.close();
  }
}

const ropeFactors = (factors: number[]): TensorSpec => ({
  name: 'rope_freqs.weight',
  shape: [factors.length],
  type: 0,
  nBytes: 4 * factors.length,
  fill: (write) => write(new Uint8Array(Float32Array.from(factors).buffer)),
});

describe('llama', () => {
  test.each(['f32', 'q8_0', 'q4_0', 'q4_k_m'] as const)(
    'rotates neighbouring rows, with the same result as the pairs of qwen2, in %s',
    async (type) => {
      expect(await logitsOf(asLlama(qwen2(type)))).toEqual(await logitsOf(qwen2(type)));
    },
  );

  test('rotates neighbouring rows with an int8 cache, too', async () => {
    expect(await logitsOf(asLlama(qwen2('q4_0')), 'int8')).toEqual(await logitsOf(qwen2('q4_0'), 'int8'));
  });

  test('scales RoPE by one factor or by a factor per frequency', async () => {
    const linear = { 'llama.rope.scaling.type': { string: 'linear' }, 'llama.rope.scaling.factor': { f32: 4 } };
    const plain = await logitsOf(asLlama(qwen2('q8_0')));
    const scaled = await logitsOf(asLlama(qwen2('q8_0'), linear));
    expect(scaled).not.toEqual(plain);
    const withFactors = asLlama(qwen2('q8_0'));
    withFactors.tensors.push(ropeFactors(Array.from({ length: headDim / 2 }, () => 4)));
    expect(await logitsOf(withFactors)).toEqual(scaled);
  });

  test.each<[string, (spec: GgufSpec) => void, RegExp]>([
    [
      'a factor that is not a number',
      ({ tensors }) => tensors.push(ropeFactors(Array(headDim / 2).fill(Number.NaN))),
      /RoPE factor/,
    ],
    [
      'the wrong number of factors',
      ({ tensors }) => tensors.push(ropeFactors([1, 2])),
      /rope_freqs\.weight has shape \[2\]/,
    ],
    [
      'RoPE on only a part of each head',
      ({ metadata }) => {
        metadata['llama.rope.dimension_count'] = { u32: headDim / 2 };
      },
      /rotates only a part of each head/,
    ],
    [
      'a bias that its family does not have',
      ({ tensors }) => {
        const bias = tensors.find(({ name }) => name === 'blk.0.attn_q.bias');
        if (bias) tensors.push({ ...bias, name: 'blk.0.attn_output.bias' });
      },
      /"blk\.0\.attn_output\.bias" is not part of the llama architecture/,
    ],
  ])('is refused with %s', async (_, change, message) => {
    const spec = asLlama(qwen2('q8_0'));
    change(spec);
    await expect(logitsOf(spec)).rejects.toThrow(message);
  });
});

describe('a mixture of experts', () => {
  const modelPath = join(import.meta.dirname, '../fixtures/reference/tiny-qwen3moe.gguf');

  test('runs in every quantization', async () => {
    for (const quantization of ['f32', 'q8_0', 'q4_0', 'q4_k_m'] as const) {
      const logits = await logitsOf(syntheticModel({ shape: shapes.tinymoe, quantization }));
      expect(logits.every(Number.isFinite)).toBe(true);
    }
  });

  test.each(['qwen3moe', 'mellum'])(
    'gives the same bits for one token at a time as for the whole prompt: %s',
    async (family) => {
      const engine = await loadEngine({ modelPath: modelPath.replace('qwen3moe', family) });
      try {
        const prompt = Uint32Array.from({ length: 60 }, (_, i) => (i * 37) % 280);
        const whole = await engine.logits(prompt);
        const nVocab = whole.length / prompt.length;
        for (let n = 1; n <= prompt.length; n++)
          expect(await engine.lastLogits(prompt.subarray(0, n))).toEqual(whole.subarray((n - 1) * nVocab, n * nVocab));
      } finally {
        await engine.close();
      }
    },
  );

  test('writes the same text with drafts as without', async () => {
    const engine = await loadEngine({ modelPath });
    try {
      const prompt = Uint32Array.from({ length: 60 }, (_, i) => 97 + (i % 7));
      const request = { tokens: prompt, maxTokens: 60 };
      const plain = await engine.generate({ ...request, speculate: false });
      const drafted = await engine.generate({ ...request, speculate: true });
      expect(drafted.tokens).toEqual(plain.tokens);
      expect(drafted.timings.decodePasses).toBeLessThan(plain.timings.decodePasses);
    } finally {
      await engine.close();
    }
  });

  test('reads only the experts that a token uses, as the description says', async () => {
    const { parameters, readBytesPerToken, weightsPerToken, fileBytes } = await describeModel(modelPath);
    const expertWeights = 2 * 3 * 6 * 32 * 256; // layers, matrices, experts, rows, columns
    const others = 2 * (128 * 256 * 2 + 64 * 256 * 2 + 6 * 256 + 2 * 256 + 2 * 32);
    expect(parameters).toBe(expertWeights + others + 2 * 288 * 256 + 256);
    expect(weightsPerToken).toBe(expertWeights / 2 + others);
    expect(readBytesPerToken).toBeLessThan(0.7 * fileBytes);
  });

  test.each<[string, Record<string, GgufValue>, RegExp]>([
    ['more experts in use than exist', { 'qwen3moe.expert_used_count': { u32: 9 } }, /greater than expert_count/],
    ['no experts', { 'qwen3moe.expert_count': { u32: 0 } }, /expert_count is 0/],
    ['more than can be counted', { 'qwen3moe.expert_count': { u32: 1 << 23 } }, /of its 8388608 experts/],
    [
      'other rows',
      { 'qwen3moe.expert_feed_forward_length': { u32: 64 } },
      /ffn_gate_exps\.weight has shape \[256, 96, 8\]/,
    ],
    [
      'a count of experts in use that is no number',
      { 'qwen3moe.expert_used_count': { string: 'all' } },
      /expert_used_count/,
    ],
  ])('is refused with %s', async (_, keys, message) => {
    const spec = syntheticModel({ shape: shapes.tinymoe, quantization: 'q8_0' });
    Object.assign(spec.metadata, keys);
    await expect(logitsOf(spec)).rejects.toThrow(message);
  });
});

describe('mellum', () => {
  const asMellum = (keys: Record<string, GgufValue>): GgufSpec => {
    const spec = syntheticModel({ shape: shapes.tinymoe, quantization: 'q8_0' });
    const renamed = Object.entries(spec.metadata).map(([key, value]) => [key.replace('qwen3moe.', 'mellum.'), value]);
    return {
      ...spec,
      metadata: { ...Object.fromEntries(renamed), 'general.architecture': { string: 'mellum' }, ...keys },
    };
  };
  const window = 'mellum.attention.sliding_window';

  test('attends to the whole prompt with a window of its length, and to less with a narrower window', async () => {
    const whole = await logitsOf(asMellum({}));
    expect(await logitsOf(asMellum({ [window]: { u32: tokens.length } }))).toEqual(whole);
    const narrow = await logitsOf(asMellum({ [window]: { u32: 5 } }));
    const nVocab = narrow.length / tokens.length;
    expect(narrow.subarray(0, 5 * nVocab)).toEqual(whole.subarray(0, 5 * nVocab));
    expect(narrow.subarray(5 * nVocab)).not.toEqual(whole.subarray(5 * nVocab));
    expect(await logitsOf(asMellum({ [window]: { u32: 5 } }), 'int8')).not.toEqual(whole);
  });

  test('has sliding windows in the layers that the file lists, or in all but every n-th layer', async () => {
    // With three layers and n = 2, only the second has no sliding window.
    const period = await logitsOf(asMellum({ [window]: { u32: 5 }, [`${window}_pattern`]: { u32: 2 } }));
    const named = await logitsOf(
      asMellum({ [window]: { u32: 5 }, [`${window}_pattern`]: { bools: [true, false, true] } }),
    );
    expect(named).toEqual(period);
  });

  const yarn = { 'mellum.rope.scaling.type': { string: 'yarn' } };
  test.each<[string, Record<string, GgufValue>, RegExp]>([
    ['no window', { [window]: { u32: 0 } }, /sliding_window is 0/],
    [
      'layers that do not exist',
      { [window]: { u32: 5 }, [`${window}_pattern`]: { bools: [true, false] } },
      /pattern has 2/,
    ],
    ['YaRN without the original context length', yarn, /original_context_length/],
    ['a YaRN factor of less than 1', { ...yarn, 'mellum.rope.scaling.factor': { f32: 0.5 } }, /factor is less than 1/],
    ['a RoPE base of zero', { [window]: { u32: 5 }, 'mellum.rope.freq_base_swa': { f32: 0 } }, /freq_base_swa/],
  ])('is refused with %s', async (_, keys, message) => {
    await expect(logitsOf(asMellum(keys))).rejects.toThrow(message);
  });
});
