// The types that describe a model: its file, the loaded model, and the trial of a GPU with it. They cross the boundary
// to the engine, as those in types.ts do.

/** The ids of special tokens that prompts use; -1 if the model does not have the token. */
export interface SpecialTokens {
  fimPrefix: number;
  fimMiddle: number;
  fimSuffix: number;
  fileSep: number;
  repoName: number;
  imStart: number;
  imEnd: number;
  endOfText: number;
}

export interface ModelInfo {
  /** general.name of the GGUF file; without one, the file's name. */
  name: string;
  /** general.architecture of the GGUF, e.g. "qwen2" or "llama". */
  architecture: string;
  path: string;
  fileBytes: number;
  /** The name in the file, e.g. "Q4_K_M"; without one, the format of most of its bytes. */
  quantization: string;
  layers: number;
  hidden: number;
  vocabulary: number;
  /** The longest sequence in tokens: the lower of the model's limit and the cache's size. */
  contextTokens: number;
  special: SpecialTokens;
  /** The token that begins every prompt; -1 if there is none. */
  bosToken: number;
  /** Whether the suffix comes first, see TokenNames. */
  suffixFirst: boolean;
  /** The number format of the KV cache. */
  kvType: KvType;
  /** What runs the model: this computer's CPU or GPU, or the team's server. */
  device: 'cpu' | 'gpu' | 'server';
  /** For people, e.g. "cpu avx512vnni, 2 threads". */
  backend: string;
  /** Why the GPU, or the team's server, is not used; '' if it is used or not wanted. */
  fallbackReason: string;
  /** The trial of a GPU that is used only if it is faster; absent without a trial. */
  gpuTrial?: GpuTrial;
  /** Why the draft model is not used; '' if it is used or not wanted. */
  draftProblem: string;
  loadMs: number;
  /** The size of the packed weights in memory. */
  weightBytes: number;
  /** The paths of the adapters that were loaded with the model. */
  adapters: string[];
  /** The number of pages that were loaded from the disk cache. */
  restoredPages: number;
  /** For the log: a sentence for each damaged file of the disk cache. */
  diskProblems: string[];
}

/** The result of a GPU's trial with a model: either figures or a problem. */
export interface GpuTrial {
  /** Its name and driver; '' if the trial failed before it knew them. */
  gpu: string;
  figures?: GpuFigures;
  problem?: string;
}

/** In tokens per second. */
export interface Speed {
  reading: number;
  writing: number;
}

export interface GpuFigures {
  cpu: Speed;
  gpu: Speed;
  /** The GPU's speed of reading a prompt, relative to the CPU's. */
  reading: number;
  /** The GPU's speed of writing an answer, relative to the CPU's. */
  writing: number;
  /** Whether the GPU is worth using. */
  isFaster: boolean;
}

/** A model, as its file describes it. */
export interface ModelDescription {
  /**
   * general.name and the other texts of general.*, tokenizer.chat_template, and the names of the tokens BOS and EOS as
   * tokenizer.ggml.bos_token and tokenizer.ggml.eos_token.
   */
  metadata: Record<string, string>;
  specialTokens: string[];
  /** llama.cpp's name of the mixture of formats, for example "Q4_K_M". */
  quantization: string;
  contextTokens: number;
  /** The size of all parts of the file. */
  fileBytes: number;
  parameters: number;
  /** The bytes of the weights that a generated token reads. */
  readBytesPerToken: number;
  /** The number of layer weights that each token of a prompt is multiplied by. */
  weightsPerToken: number;
  /** Bytes of a token's keys and values, as f16. */
  kvBytesPerToken: number;
}

/** The texts in a model file that describe the model. */
export interface ModelTexts {
  /** The same as in ModelDescription. */
  metadata: Readonly<Record<string, string>>;
  /** The ids of all control tokens by name. */
  specialTokens: Readonly<Record<string, number>>;
}

/** How a model's prompts differ from those of qwen2.5-coder. */
export interface TokenNames {
  /** The names of its special tokens; '' for a token that prompts must not use. */
  special?: Partial<Record<keyof SpecialTokens, string>>;
  /** Whether the suffix comes first in fill-in-the-middle prompts. If so, fimMiddle can be missing. Default: false. */
  suffixFirst?: boolean;
}

/** int8 takes a little more than half of the memory of f16, at a small loss; see README.md. */
export type KvType = 'f16' | 'int8';
