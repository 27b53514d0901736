// The model files to measure: synthetic ones by name, kept in .cache/bench/models, or any GGUF file by path. Also
// computes a token's cost from the tensors: multiplications and bytes read.
import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { type Quantization, shapes, writeSyntheticModel } from '../../test/support/synthetic-model.ts';
import { BenchError } from './bench-error.ts';

export interface BenchModel {
  name: string;
  path: string;
  vocabulary: number;
  /**
   * The number of weights by which each token of a prompt is multiplied. For a prompt, the last layer only computes K
   * and V, and the head is not used.
   */
  prefillWeights: number;
  /** The bytes that a decoded token reads, with the head, but without the context. */
  streamedBytes: number;
  /** The bytes per token of the KV cache in f16. */
  kvBytes: number;
}

export async function benchModel(root: string, nameOrPath: string): Promise<BenchModel> {
  const path = nameOrPath.endsWith('.gguf') ? nameOrPath : syntheticModelPath(root, nameOrPath);
  const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
  const ends = tensorInfos.map(({ offset }) => Number(offset)).sort((a, b) => a - b);
  ends.push(statSync(path).size - Number(tensorDataOffset));
  const keys = metadata as Record<string, unknown>;
  const read = (key: string) => Number(keys[`${keys['general.architecture']}.${key}`]);
  const tensors = tensorInfos.map(({ name, shape, offset }) => {
    // A token uses only some of the experts.
    const used = name.includes('_exps.') ? read('expert_used_count') / read('expert_count') : 1;
    return {
      name,
      isMatrix: shape.length > 1,
      weights: used * shape.reduce((product, n) => product * Number(n), 1),
      // Up to the next tensor, so a few bytes of padding are included.
      bytes: used * (ends[ends.indexOf(Number(offset)) + 1]! - Number(offset)),
    };
  });
  const body = tensors.filter(({ name, isMatrix }) => isMatrix && name.startsWith('blk.'));
  // Without an output matrix, the model uses the embedding's.
  const head = ['output.weight', 'token_embd.weight'].flatMap((name) => tensors.filter((t) => t.name === name))[0];
  if (!head) throw new BenchError(`${path} has neither output.weight nor token_embd.weight: is it a language model?`);
  const last = `blk.${read('block_count') - 1}.`;
  const isSkipped = (name: string) => name.startsWith(last) && /attn_output|ffn_/.test(name);
  const headDim = read('attention.key_length') || read('embedding_length') / read('attention.head_count');
  return {
    name: basename(path, '.gguf'),
    path,
    vocabulary: (keys['tokenizer.ggml.tokens'] as string[]).length,
    prefillWeights: sum(body.filter(({ name }) => !isSkipped(name)).map(({ weights }) => weights)),
    streamedBytes: sum(body.map(({ bytes }) => bytes)) + head.bytes,
    kvBytes: 2 * 2 * read('block_count') * read('attention.head_count_kv') * headDim,
  };
}

/**
 * The path of a synthetic model, which is written if it does not exist yet. It is written under a temporary name first,
 * so that an existing file is always complete.
 */
function syntheticModelPath(root: string, name: string): string {
  const [, size = '', layers = '', quantization = ''] =
    /^([^-]+)(?:-([1-9]\d*)layers)?-(q8_0|q4_0|q4_k_m)$/.exec(name) ?? [];
  const whole = Object.entries(shapes).find(([key]) => key === size)?.[1];
  if (!whole) {
    const sizes = Object.keys(shapes).join(', ');
    const choice = `FILE.gguf, SIZE-TYPE or SIZE-Nlayers-TYPE; sizes ${sizes}; types q8_0, q4_0, q4_k_m`;
    throw new BenchError(`there is no model "${name}": ${choice}`);
  }
  const shape = { ...whole, layers: Number(layers) || whole.layers };
  const folder = join(root, '.cache', 'bench', 'models');
  const path = join(folder, `${name}.gguf`);
  if (existsSync(path)) return path;
  console.log(`writing ${name}.gguf`);
  mkdirSync(folder, { recursive: true });
  writeSyntheticModel(`${path}.new`, { shape, quantization: quantization as Quantization });
  renameSync(`${path}.new`, path);
  return path;
}

/** Reads the file into the system's page cache, so that loading does not wait for the disk. */
export function intoPageCache(path: string): void {
  const file = openSync(path, 'r');
  const buffer = new Uint8Array(1 << 24);
  while (readSync(file, buffer) > 0);
  closeSync(file);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
