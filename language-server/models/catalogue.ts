// The models that Hearth can download: GGUF files of qwen2.5-coder. The list has a file's digest only if independent
// public sources agree on it, or if a public build depends on it. `npm run tool -- catalogue` compares the list with a
// mirror.
import type { RemoteFile } from '../protocol/models.ts';
import type { ModelCost } from './estimate.ts';

/**
 * parameters: their number according to the model card. blockParameters: the same without the embeddings. isTied:
 * whether the output layer shares the input embeddings. kvBytesPerToken: with an f16 KV cache.
 */
const sizes = {
  '0.5B': { parameters: 0.49e9, blockParameters: 0.36e9, isTied: true, kvBytesPerToken: 12_288 },
  '1.5B': { parameters: 1.54e9, blockParameters: 1.31e9, isTied: true, kvBytesPerToken: 28_672 },
  '3B': { parameters: 3.09e9, blockParameters: 2.77e9, isTied: true, kvBytesPerToken: 36_864 },
  '7B': { parameters: 7.61e9, blockParameters: 6.53e9, isTied: false, kvBytesPerToken: 57_344 },
  '14B': { parameters: 14.7e9, blockParameters: 13.1e9, isTied: false, kvBytesPerToken: 196_608 },
} as const;

export type Size = keyof typeof sizes;

/** Average bits per weight of a whole file, including block scales. */
const bitsPerParameter = { Q4_K_M: 5, Q8_0: 8.51 };

export interface CatalogueModel {
  size: Size;
  kind: 'base' | 'instruct';
  quantization: keyof typeof bitsPerParameter;
  file: RemoteFile;
}

/** bytes: the exact length of the file; null if only an estimate from the number of parameters is known. */
function model(
  size: Size,
  kind: CatalogueModel['kind'],
  quantization: CatalogueModel['quantization'],
  path: string,
  bytes: number | null,
  sha256: string | null,
): CatalogueModel {
  const [owner, repository, name = ''] = path.split('/');
  const url = `https://huggingface.co/${owner}/${repository}/resolve/main/${name}`;
  const estimate = (sizes[size].parameters * bitsPerParameter[quantization]) / 8;
  const minBytes = bytes ?? Math.floor(0.9 * estimate);
  const maxBytes = bytes ?? Math.ceil(1.1 * estimate);
  return { size, kind, quantization, file: { name, url, minBytes, maxBytes, sha256 } };
}

function ggmlOrg(size: Size, bytes: number | null, sha256: string | null): CatalogueModel {
  const name = `qwen2.5-coder-${size}-q8_0.gguf`.toLowerCase();
  return model(size, 'base', 'Q8_0', `ggml-org/Qwen2.5-Coder-${size}-Q8_0-GGUF/${name}`, bytes, sha256);
}

function quantFactory(size: Size, sha256: string | null): CatalogueModel {
  const path = `QuantFactory/Qwen2.5-Coder-${size}-GGUF/Qwen2.5-Coder-${size}.Q4_K_M.gguf`;
  return model(size, 'base', 'Q4_K_M', path, null, sha256);
}

function qwen(size: Size, quantization: 'Q4_K_M' | 'Q8_0', bytes: number | null, sha256: string | null) {
  const name = `qwen2.5-coder-${size}-instruct-${quantization}.gguf`.toLowerCase();
  return model(size, 'instruct', quantization, `Qwen/Qwen2.5-Coder-${size}-Instruct-GGUF/${name}`, bytes, sha256);
}

export const catalogue: CatalogueModel[] = [
  ggmlOrg('0.5B', 531_068_128, 'd0f8cd6c49bab52a0abdbe47948518b1f4d9b1a8a2a6825099cea31cea10ac56'),
  quantFactory('1.5B', 'a9ccb6be802412e61e1acbee6287a23b11e56e94718560f910075c64b6194910'),
  ggmlOrg('1.5B', 1_646_573_056, '29871c94d15727a6e243f79a37113d4ae625a6215b5e800bf41a23af2da32832'),
  ggmlOrg('3B', 3_285_476_160, 'a522a906e299ed34db738b9626b2cd0da9e446c14674468a22fc2eae3dbd344d'),
  quantFactory('7B', null),
  ggmlOrg('7B', 8_098_525_600, '0ef48dc94a3c551a6736ac2601de38413dc9aa9318534b16e8baee08290a4aaf'),
  ggmlOrg('14B', null, null),
  qwen('0.5B', 'Q8_0', 675_710_848, 'e1a77721fa97d412f121878223eec81fb4ae6f271e18f922d746711f67b344d1'),
  qwen('1.5B', 'Q4_K_M', 1_117_320_768, 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046'),
  qwen('1.5B', 'Q8_0', 1_894_532_160, '507de59046601282ba768a9789900e6ccf60ed93ddf346730b7c68eb0715bc47'),
  qwen('3B', 'Q4_K_M', 2_104_932_800, '724fb256bec1ff062b2f65e4569e871ad2e95ab2a3989723d1769c54294730b7'),
  qwen('7B', 'Q4_K_M', 4_683_073_536, '509287f78cb4d4cf6b3843734733b914b2c158e43e22a7f4bf5e963800894d3c'),
  qwen('7B', 'Q8_0', null, null),
  qwen('14B', 'Q4_K_M', 8_988_110_272, 'c1e659736d89ac1065fb495330fb824d94001974a4bfa78e7270e43476a8d940'),
];

export const nameOf = ({ size, kind }: CatalogueModel): string =>
  `Qwen2.5-Coder ${size}${kind === 'instruct' ? ' Instruct' : ''}`;

export const parametersOf = ({ size }: CatalogueModel): number => sizes[size].parameters;

/** This licence forbids commercial use. Only the 3B model has it. */
export const researchLicence = 'Qwen Research';

export const licenceOf = ({ size }: CatalogueModel): string => (size === '3B' ? researchLicence : 'Apache-2.0');

/** The exact or approximate length of the file. */
export const fileBytesOf = ({ file }: CatalogueModel): number => (file.minBytes + file.maxBytes) / 2;

/** The cost per token. Input embeddings count only if the output layer shares them. Otherwise only one row is read. */
export function costOf(model: CatalogueModel): ModelCost {
  const { parameters, blockParameters, isTied, kvBytesPerToken } = sizes[model.size];
  const embeddings = isTied ? parameters - blockParameters : (parameters - blockParameters) / 2;
  // Qwen's own files store tied embeddings twice.
  const stored = isTied && model.kind === 'instruct' ? parameters + embeddings : parameters;
  const fileBytes = fileBytesOf(model);
  return {
    fileBytes,
    readBytesPerToken: (fileBytes * (blockParameters + embeddings)) / stored,
    weightsPerToken: blockParameters,
    kvBytesPerToken,
    contextTokens: 32_768,
  };
}
