// Facts about a model from the head of its GGUF file: cost, quantization, licence and size.
import type { ModelCost } from './estimate.ts';
import type { GgufHeader } from './gguf-header.ts';
import { architectureOf } from './model-traits.ts';

/** Names by general.file_type, for the types that the engine can read. */
const fileTypes: Record<number, string> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  25: 'IQ4_NL',
  30: 'IQ4_XS',
  32: 'BF16',
  38: 'MXFP4',
};

/** '' for a type that the engine cannot read. */
export const quantizationOf = ({ metadata }: GgufHeader): string =>
  fileTypes[Number(metadata.get('general.file_type'))] ?? '';

/** For the license "other" there is a name as well: "qwen-research" for the 3B model. */
export const licenceOf = ({ metadata }: GgufHeader): string =>
  String(metadata.get('general.license.name') ?? metadata.get('general.license') ?? '');

/** fileBytes: the size of all parts, to which the figures from the head of the first part are scaled. */
export function parametersOf(header: GgufHeader, fileBytes = header.fileBytes): number {
  return (sum(header.tensors, ({ elements }) => elements) * fileBytes) / header.fileBytes;
}

export function costOf(header: GgufHeader, fileBytes = header.fileBytes): ModelCost {
  const { metadata, tensors } = header;
  const number = (key: string) => Number(metadata.get(`${architectureOf(header)}.${key}`) ?? 0);
  const headDim = number('attention.key_length') || number('embedding_length') / number('attention.head_count');
  const bytesOf = (name: string) => tensors.find((tensor) => tensor.name === name)?.bytes ?? 0;
  // Input embeddings do not count, as one row is looked up, unless the output layer shares them.
  const lookedUp = bytesOf('output.weight') > 0 ? bytesOf('token_embd.weight') : 0;
  const blocks = tensors.filter(({ name }) => name.startsWith('blk.'));
  const scale = fileBytes / header.fileBytes;
  return {
    fileBytes,
    readBytesPerToken: (sum(tensors, ({ bytes }) => bytes) - lookedUp) * scale,
    weightsPerToken: sum(blocks, ({ elements }) => elements) * scale,
    // Keys and values, of two bytes each.
    kvBytesPerToken: number('block_count') * number('attention.head_count_kv') * headDim * 4,
    contextTokens: number('context_length'),
  };
}

const sum = <T>(items: T[], value: (item: T) => number): number =>
  items.reduce((total, item) => total + value(item), 0);
