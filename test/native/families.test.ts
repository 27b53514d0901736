// Model families other than qwen2: the same weights in the layout of another family's files give the same logits, bit
// for bit. reference.test.ts compares each family with another implementation.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadEngine } from '../../native/index.ts';
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

/** The rows of each head from RoPE's halves (i, i + headDim / 2) to neighbours (2i, 2i + 1). */
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
    'turns neighbours as qwen2 turns halves, in %s',
    async (type) => {
      expect(await logitsOf(asLlama(qwen2(type)))).toEqual(await logitsOf(qwen2(type)));
    },
  );

  test('turns neighbours with a cache of int8, too', async () => {
    expect(await logitsOf(asLlama(qwen2('q4_0')), 'int8')).toEqual(await logitsOf(qwen2('q4_0'), 'int8'));
  });

  test('scales RoPE by one factor or by one for each frequency', async () => {
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
      'a factor that is no number',
      ({ tensors }) => tensors.push(ropeFactors(Array(headDim / 2).fill(Number.NaN))),
      /RoPE factor/,
    ],
    [
      'factors of another size',
      ({ tensors }) => tensors.push(ropeFactors([1, 2])),
      /rope_freqs\.weight has shape \[2\]/,
    ],
    [
      'RoPE on a part of each head',
      ({ metadata }) => {
        metadata['llama.rope.dimension_count'] = { u32: headDim / 2 };
      },
      /rotates only a part of each head/,
    ],
    [
      'biases where its family has none',
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
