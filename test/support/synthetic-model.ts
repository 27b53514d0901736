// Makes qwen2 and qwen3moe models with random weights; the same arguments give the same bytes. They have the shapes of
// real models from 0.5B to 30B, to measure speed without a download, or variants of the architecture (fused QKV, no
// biases, untied output). Weights are scaled by the number of columns, and norms are near 1, so that activations stay
// in a normal range in all layers.
import { createCipheriv } from 'node:crypto';
import { type GgufSpec, type GgufValue, type TensorSpec, writeGguf } from './gguf-writer.ts';

export interface Shape {
  layers: number;
  hidden: number;
  heads: number;
  kvHeads: number;
  /** Default: hidden / heads. */
  headDim?: number;
  /** The FFN size of each expert, if there are experts. */
  ffn: number;
  /** If present, the model is a mixture of experts (qwen3moe). */
  experts?: { count: number; used: number };
  vocabulary: number;
  context: number;
  tied: boolean;
}

/** Source: the config.json of each qwen2.5-coder size. */
export const shapes = {
  '0.5b': { layers: 24, hidden: 896, heads: 14, kvHeads: 2, ffn: 4864, vocabulary: 151936, context: 32768, tied: true },
  '1.5b': {
    layers: 28,
    hidden: 1536,
    heads: 12,
    kvHeads: 2,
    ffn: 8960,
    vocabulary: 151936,
    context: 32768,
    tied: true,
  },
  '3b': { layers: 36, hidden: 2048, heads: 16, kvHeads: 2, ffn: 11008, vocabulary: 151936, context: 32768, tied: true },
  '7b': {
    layers: 28,
    hidden: 3584,
    heads: 28,
    kvHeads: 4,
    ffn: 18944,
    vocabulary: 152064,
    context: 32768,
    tied: false,
  },
  '30ba3b': {
    layers: 48,
    hidden: 2048,
    heads: 32,
    kvHeads: 4,
    headDim: 128,
    ffn: 768,
    experts: { count: 128, used: 8 },
    vocabulary: 151936,
    context: 262144,
    tied: false,
  },
  tinymoe: {
    layers: 3,
    hidden: 256,
    heads: 4,
    kvHeads: 2,
    ffn: 96,
    experts: { count: 8, used: 3 },
    vocabulary: 1024,
    context: 2048,
    tied: true,
  },
  tiny: { layers: 3, hidden: 256, heads: 4, kvHeads: 2, ffn: 768, vocabulary: 1024, context: 2048, tied: true },
} satisfies Record<string, Shape>;

export type Quantization = 'f32' | 'q8_0' | 'q4_0' | 'q4_k_m';

export interface SyntheticOptions {
  shape: Shape;
  quantization: Quantization;
  fusedQkv?: boolean;
  biases?: boolean;
}

const addedTokens = [
  ...['endoftext', 'im_start', 'im_end', 'object_ref_start', 'object_ref_end', 'box_start', 'box_end', 'quad_start'],
  ...['quad_end', 'vision_start', 'vision_end', 'vision_pad', 'image_pad', 'video_pad', 'tool_call', 'tool_call_end'],
  ...['fim_prefix', 'fim_middle', 'fim_suffix', 'fim_pad', 'repo_name', 'file_sep'],
].map((name) => `<|${name}|>`);
const endOfText = '<|endoftext|>';

export function writeSyntheticModel(path: string, options: SyntheticOptions): void {
  writeGguf(path, syntheticModel(options));
}

/** The model's metadata and tensors before they are written, so that a test can damage them. */
export function syntheticModel(options: SyntheticOptions): GgufSpec {
  const { shape, quantization, fusedQkv = false } = options;
  const { layers, hidden, heads, kvHeads, ffn, experts } = shape;
  const architecture = experts ? 'qwen3moe' : 'qwen2';
  const biases = options.biases ?? !experts;
  const headDim = shape.headDim ?? hidden / heads;
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const { tokens, merges } = vocabulary(shape.vocabulary);
  const random = randomBytes(`${JSON.stringify(shape)} ${quantization}`);
  // Each layer adds two branches to the residual stream. They are scaled so that all together keep the stream's size.
  const gain = Math.sqrt(2 / layers);
  const tensors: TensorSpec[] = [];
  const matrix = (name: string, rows: number, columns: number, deviation: number, layer = -1) => {
    const type = tensorType(quantization, name, columns, layer, layers);
    const { block, bytes, fill } = formats[type];
    const copies = name.includes('_exps') && experts ? [experts.count] : [];
    const nBlocks = (rows * columns * (copies[0] ?? 1)) / block;
    tensors.push({
      name,
      shape: [columns, rows, ...copies],
      type: typeIds[type],
      nBytes: nBlocks * bytes,
      fill: (write) => inSlabs(nBlocks, (n) => write(fill(random, n, deviation))),
    });
  };
  const vector = (name: string, n: number, mean: number, deviation: number) => {
    const fill = (write: (bytes: Uint8Array) => void) =>
      write(bytesOf(Float32Array.from(gaussian(random, n), (value) => mean + deviation * value)));
    tensors.push({ name, shape: [n], type: 0, nBytes: 4 * n, fill });
  };

  matrix('token_embd.weight', tokens.length, hidden, 3 / Math.sqrt(hidden));
  for (let layer = 0; layer < layers; layer++) {
    const name = (tensor: string) => `blk.${layer}.${tensor}`;
    vector(name('attn_norm.weight'), hidden, 1, 0.1);
    vector(name('ffn_norm.weight'), hidden, 1, 0.1);
    const parts = { q, k: kv, v: kv };
    for (const [part, rows] of fusedQkv ? [['qkv', q + 2 * kv] as const] : Object.entries(parts)) {
      matrix(name(`attn_${part}.weight`), rows, hidden, 1.2 / Math.sqrt(hidden), layer);
      if (biases) vector(name(`attn_${part}.bias`), rows, 0, 0.5);
    }
    matrix(name('attn_output.weight'), hidden, q, (2 * gain) / Math.sqrt(q), layer);
    if (experts) {
      for (const part of ['q', 'k']) vector(name(`attn_${part}_norm.weight`), headDim, 1, 0.1);
      matrix(name('ffn_gate_inp.weight'), experts.count, hidden, 2 / Math.sqrt(hidden), layer);
    }
    const suffix = experts ? '_exps.weight' : '.weight';
    matrix(name(`ffn_gate${suffix}`), ffn, hidden, 1 / Math.sqrt(hidden), layer);
    matrix(name(`ffn_up${suffix}`), ffn, hidden, 1 / Math.sqrt(hidden), layer);
    matrix(name(`ffn_down${suffix}`), hidden, ffn, (2 * gain) / Math.sqrt(ffn), layer);
  }
  vector('output_norm.weight', hidden, 1, 0.1);
  if (!shape.tied) matrix('output.weight', tokens.length, hidden, 3 / Math.sqrt(hidden));

  const expertMetadata: Record<string, GgufValue> = experts
    ? {
        'qwen3moe.expert_count': { u32: experts.count },
        'qwen3moe.expert_used_count': { u32: experts.used },
        'qwen3moe.expert_feed_forward_length': { u32: ffn },
        'qwen3moe.attention.key_length': { u32: headDim },
        'qwen3moe.attention.value_length': { u32: headDim },
      }
    : {};
  const metadata: Record<string, GgufValue> = {
    'general.architecture': { string: architecture },
    'general.name': { string: 'synthetic' },
    'general.file_type': { u32: { f32: 0, q4_0: 2, q8_0: 7, q4_k_m: 15 }[quantization] },
    [`${architecture}.block_count`]: { u32: layers },
    [`${architecture}.context_length`]: { u32: shape.context },
    [`${architecture}.embedding_length`]: { u32: hidden },
    [`${architecture}.feed_forward_length`]: { u32: ffn },
    [`${architecture}.attention.head_count`]: { u32: heads },
    [`${architecture}.attention.head_count_kv`]: { u32: kvHeads },
    [`${architecture}.rope.freq_base`]: { f32: 1e6 },
    ...expertMetadata,
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { f32: 1e-6 },
    'tokenizer.ggml.model': { string: 'gpt2' },
    'tokenizer.ggml.pre': { string: 'qwen2' },
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.token_type': {
      i32s: tokens.map((token) => (token.startsWith('<|') ? 3 : token.startsWith('[PAD') ? 5 : 1)),
    },
    'tokenizer.ggml.merges': { strings: merges },
    'tokenizer.ggml.eos_token_id': { u32: tokens.indexOf(endOfText) },
    'tokenizer.ggml.add_bos_token': { bool: false },
  };
  return { metadata, tensors };
}

// --- vocabulary ---

/**
 * The letters that GPT-2 uses for the 256 bytes, then merges of two and three of them, added tokens, Qwen's padding.
 */
function vocabulary(size: number): { tokens: string[]; merges: string[] } {
  const letters = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(byteLetter(byte)));
  const nPadding = size > 150000 ? size - 151665 : 0;
  const nMerges = size - 256 - addedTokens.length - nPadding;
  const merges: string[] = [];
  const tokens = [...letters];
  for (let i = 0; i < nMerges; i++) {
    const pair = i < 65536 ? i : (i - 65536) >> 3;
    const right = letters[pair & 255] ?? '';
    const left = letters[pair >> 8] ?? '';
    const merge = i < 65536 ? [left, right] : [left + right, letters[97 + (i & 7)] ?? ''];
    merges.push(merge.join(' '));
    tokens.push(merge.join(''));
  }
  const pads = Array.from({ length: nPadding }, (_, i) => `[PAD${i}]`);
  return { tokens: [...tokens, ...addedTokens, ...pads], merges };
}

/** The code point that stands for a byte: the byte itself if it is printable, otherwise the next one from 256 on. */
function byteLetter(byte: number): number {
  const isPrintable = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b !== 173);
  if (isPrintable(byte)) return byte;
  let n = 0;
  for (let b = 0; b < byte; b++) if (!isPrintable(b)) n++;
  return 256 + n;
}

// --- weights ---

type Format = 'f32' | 'q4_0' | 'q5_0' | 'q8_0' | 'q4_K' | 'q6_K';
const typeIds: Record<Format, number> = { f32: 0, q4_0: 2, q5_0: 6, q8_0: 8, q4_K: 12, q6_K: 14 };

/**
 * The type that llama-quantize would choose: one with more bits for some layers, and a different one if the number of
 * columns is not a multiple of 256.
 */
function tensorType(quantization: Quantization, name: string, columns: number, layer: number, layers: number): Format {
  if (name.endsWith('ffn_gate_inp.weight')) return 'f32';
  if (quantization === 'f32' || quantization === 'q8_0') return quantization;
  const isHead = name === 'output.weight' || name === 'token_embd.weight';
  const isOdd = columns % 256 !== 0;
  if (quantization === 'q4_0') return isHead ? (isOdd ? 'q8_0' : 'q6_K') : 'q4_0';
  const eighth = Math.floor(layers / 8);
  const isImportant =
    layer >= 0 && (layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2);
  const hasMoreBits = isHead || (isImportant && /attn_v|ffn_down/.test(name));
  if (isOdd) return hasMoreBits ? 'q8_0' : 'q5_0';
  return hasMoreBits ? 'q6_K' : 'q4_K';
}

type Random = (n: number) => Uint8Array;
interface BlockFormat {
  block: number;
  bytes: number;
  /** Makes n blocks whose weights have roughly the given standard deviation. */
  fill: (random: Random, n: number, deviation: number) => Uint8Array;
}

// Each divisor is the standard deviation of the format's quants if they are uniformly random.
const formats: Record<Format, BlockFormat> = {
  f32: {
    block: 1,
    bytes: 4,
    fill: (random, n, deviation) => bytesOf(Float32Array.from(gaussian(random, n), (v) => v * deviation)),
  },
  q4_0: { block: 32, bytes: 18, fill: (random, n, deviation) => withHalf(random(18 * n), 18, 0, deviation / 4.61) },
  q5_0: { block: 32, bytes: 22, fill: (random, n, deviation) => withHalf(random(22 * n), 22, 0, deviation / 9.23) },
  q8_0: { block: 32, bytes: 34, fill: (random, n, deviation) => withHalf(random(34 * n), 34, 0, deviation / 73.9) },
  q4_K: { block: 256, bytes: 144, fill: q4K },
  q6_K: { block: 256, bytes: 210, fill: q6K },
};

/**
 * A block has d, dmin, eight six-bit scales, eight six-bit minima, and nibbles. The scales are random from 33 to 63.
 * Each minimum equals its scale, and dmin is 7.5 d, so that the mean of the weights is 0.
 */
function q4K(random: Random, n: number, deviation: number): Uint8Array {
  const blocks = random(144 * n);
  const d = deviation / (48 * 4.61);
  withHalf(withHalf(blocks, 144, 0, d), 144, 2, 7.5 * d);
  for (let at = 4; at < blocks.length; at += 144) {
    for (let i = 0; i < 4; i++) {
      const low = 33 + ((blocks[at + i] ?? 0) % 31);
      const high = 33 + ((blocks[at + 4 + i] ?? 0) % 31);
      blocks[at + i] = low | ((high >> 4) << 6);
      blocks[at + 4 + i] = low | ((high >> 4) << 6);
      blocks[at + 8 + i] = (high & 15) | ((high & 15) << 4);
    }
  }
  return blocks;
}

/** A block has the quants' low bits (128 bytes) and high bits (64 bytes), 16 int8 scales, here from 16 to 32, and d. */
function q6K(random: Random, n: number, deviation: number): Uint8Array {
  const blocks = withHalf(random(210 * n), 210, 208, deviation / (18.5 * 24));
  for (let at = 192; at < blocks.length; at += 210) {
    for (let i = at; i < at + 16; i++) blocks[i] = 16 + ((blocks[i] ?? 0) % 17);
  }
  return blocks;
}

/** Writes value as f16 at an offset in each block. */
function withHalf(blocks: Uint8Array, stride: number, offset: number, value: number): Uint8Array {
  const half = toHalf(value);
  for (let at = offset; at < blocks.length; at += stride) {
    blocks[at] = half & 255;
    blocks[at + 1] = half >> 8;
  }
  return blocks;
}

/** The bits in f16 of a positive value, which must be normal or subnormal there. Rounds down. */
function toHalf(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  if (exponent < -14) return Math.floor(value * 2 ** 24);
  return ((exponent + 15) << 10) | Math.floor((value / 2 ** exponent - 1) * 1024);
}

/** AES in counter mode: random-looking, repeatable, and fast enough for gigabytes. */
function randomBytes(seed: string): Random {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  return (n) => cipher.update(Buffer.alloc(n));
}

/** n numbers with mean 0 and deviation 1, each the sum of twelve uniform numbers minus 6. */
function gaussian(random: Random, n: number): Float32Array {
  const bytes = random(24 * n);
  const words = new Uint16Array(bytes.buffer, bytes.byteOffset, 12 * n);
  return Float32Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < 12; j++) sum += words[12 * i + j] ?? 0;
    return sum / 65536 - 6;
  });
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Calls fill() for parts of n blocks, so that not all of them are in memory at once. */
function inSlabs(n: number, fill: (n: number) => void): void {
  for (let left = n; left > 0; left -= 1 << 16) fill(Math.min(left, 1 << 16));
}
