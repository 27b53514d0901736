// Makes LoRA adapters with random values for synthetic models (the same arguments give the same bytes), and models with
// such an adapter merged in.
import type { GgufSpec, TensorSpec } from './gguf-writer.ts';
import { random } from './random.ts';

export interface AdapterOptions {
  rank?: number;
  alpha?: number;
  seed?: number;
  /** The matrices in each layer that the adapter changes. Default: all of them. */
  matrices?: readonly string[];
}

const allMatrices = ['attn_q', 'attn_k', 'attn_v', 'attn_qkv', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'];
const typeIds = { f32: 0, f16: 1, q4_0: 2, q8_0: 8 };
const step = 2 ** -11;

/** An F32 tensor with these values. shape: columns first. */
export function floatTensor(name: string, shape: number[], values: Float32Array): TensorSpec {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, shape, type: typeIds.f32, nBytes: bytes.length, fill: (write) => write(bytes) };
}

/** The values of an F32 tensor. */
export function floatsOf(tensor: TensorSpec): Float32Array {
  const bytes = new Uint8Array(tensor.nBytes);
  let at = 0;
  tensor.fill((piece) => {
    bytes.set(piece, at);
    at += piece.length;
  });
  return new Float32Array(bytes.buffer);
}

/**
 * An adapter with random values, for some or all matrices of the model. The values are q * 2^-11 with q from -127 to
 * 127, which every format of formatted() except q4_0 represents exactly. What the adapter adds to a product is about
 * as large as the product itself.
 */
export function syntheticAdapter(model: GgufSpec, options: AdapterOptions = {}): GgufSpec {
  const { rank = 16, alpha = 32, seed = 1, matrices = allMatrices } = options;
  const { below } = random(seed);
  const values = (n: number) => Float32Array.from({ length: n }, () => (below(255) - 127) * step);
  const tensors = model.tensors.filter(({ name }) => {
    const matrix = /^blk\.\d+\.(\w+)\.weight$/.exec(name)?.[1] ?? '';
    return matrices.includes(matrix) && allMatrices.includes(matrix);
  });
  const metadata = {
    'general.architecture': model.metadata['general.architecture'] ?? { string: '' },
    'general.type': { string: 'adapter' },
    'adapter.type': { string: 'lora' },
    'adapter.lora.alpha': { f32: alpha },
  };
  const pairs = tensors.flatMap(({ name, shape: [columns = 0, rows = 0] }) => [
    floatTensor(`${name}.lora_a`, [columns, rank], values(columns * rank)),
    floatTensor(`${name}.lora_b`, [rank, rows], values(rank * rows)),
  ]);
  return { metadata, tensors: pairs };
}

/** The bits of the value, q * 2^-11, in f16. */
function half(value: number): number {
  const q = Math.abs(value / step);
  if (q === 0) return 0;
  const exponent = Math.floor(Math.log2(q));
  return (value < 0 ? 0x8000 : 0) | ((exponent - 11 + 15) << 10) | ((q / 2 ** exponent - 1) * 1024);
}

export type AdapterFormat = keyof typeof typeIds;

/** A block of 32 values: in q8_0 as multiples of one step, in q4_0 rounded to multiples of 16 steps. */
function blockOf(values: Float32Array, format: 'q8_0' | 'q4_0'): Buffer {
  const block = Buffer.alloc(format === 'q8_0' ? 34 : 18);
  if (format === 'q8_0') {
    block.writeUInt16LE(half(step));
    for (const [i, value] of values.entries()) block.writeInt8(value / step, 2 + i);
    return block;
  }
  block.writeUInt16LE(half(16 * step));
  const code = (i: number) => nibble(values[i] ?? 0) + 8;
  for (let i = 0; i < 16; i++) block.writeUInt8(code(i) | (code(i + 16) << 4), 2 + i);
  return block;
}

const nibble = (value: number) => Math.max(-8, Math.min(7, Math.round(value / step / 16)));

/** The same adapter in F32, with its values as the format stores them. */
export function rounded(adapter: GgufSpec, format: AdapterFormat): GgufSpec {
  if (format !== 'q4_0') return adapter;
  const tensors = adapter.tensors.map((tensor) => {
    const values = floatsOf(tensor).map((value) => nibble(value) * 16 * step);
    return floatTensor(tensor.name, tensor.shape, values);
  });
  return { ...adapter, tensors };
}

/**
 * The same adapter in another format. In q8_0 and q4_0, B is transposed, since its rows might be shorter than a block.
 */
export function formatted(adapter: GgufSpec, format: AdapterFormat): GgufSpec {
  const tensors = adapter.tensors.map((tensor) => {
    const { name, shape } = tensor;
    const values = floatsOf(tensor);
    if (format === 'f32') return floatTensor(name, shape, values);
    const type = typeIds[format];
    const dataFrom = (bytes: Uint8Array) => ({
      type,
      nBytes: bytes.length,
      fill: (write: (bytes: Uint8Array) => void) => write(bytes),
    });
    if (format === 'f16') return { name, shape, ...dataFrom(new Uint8Array(Uint16Array.from(values, half).buffer)) };
    const isB = name.endsWith('b');
    const [columns = 0, rows = 0] = shape;
    const ordered = isB ? values.map((_, i) => values[(i % rows) * columns + Math.floor(i / rows)] ?? 0) : values;
    const blocks = Array.from({ length: ordered.length / 32 }, (_, i) =>
      blockOf(ordered.subarray(32 * i, 32 * i + 32), format),
    );
    return {
      name: isB ? `${name}t` : name,
      shape: isB ? [rows, columns] : shape,
      ...dataFrom(Buffer.concat(blocks)),
    };
  });
  return { ...adapter, tensors };
}

/** A model that computes what the given one does with the adapter. The given model must be F32 and not yet written. */
export function merged(model: GgufSpec, adapter: GgufSpec): GgufSpec {
  const tensorByName = new Map(adapter.tensors.map((tensor) => [tensor.name, tensor]));
  const alpha = (adapter.metadata['adapter.lora.alpha'] as { f32: number }).f32;
  const tensors = model.tensors.map((tensor) => {
    const [a, b] = ['a', 'b'].map((letter) => tensorByName.get(`${tensor.name}.lora_${letter}`));
    const weights = floatsOf(tensor); // all tensors must be read in order, since reading one generates its values
    if (a === undefined || b === undefined) return floatTensor(tensor.name, tensor.shape, weights);
    const [columns = 0, rows = 0] = tensor.shape;
    const rank = b.shape[0] ?? 0;
    const [left, right] = [floatsOf(b), floatsOf(a)];
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (let i = 0; i < rank; i++) sum += (left[row * rank + i] ?? 0) * (right[i * columns + column] ?? 0);
        weights[row * columns + column]! += (sum * alpha) / rank;
      }
    return floatTensor(tensor.name, tensor.shape, weights);
  });
  return { ...model, tensors };
}
