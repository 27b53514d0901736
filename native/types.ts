// The types that cross the boundary to the engine: numbers, UTF-8 strings and typed arrays, never JSON.
import type { KvType, ModelInfo, ModelTexts, TokenNames } from './model-types.ts';

export type Priority = 'foreground' | 'background';

export interface Sampling {
  /** 0 = greedy. */
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
}

export interface GenerateRequest {
  /** The whole prompt. The engine finds out how much of it is cached. */
  tokens: Uint32Array;
  /** The path of one of LoadOptions.adapters, to be applied to this request. Default: none. */
  adapter?: string;
  /** Bytes that the model must generate first (token healing). The answer's text does not contain them. */
  heal?: Uint8Array;
  maxTokens: number;
  sampling?: Sampling;
  priority?: Priority;
  /** Tokens that end the answer, in addition to the model's end tokens. */
  stopTokens?: Uint32Array;
  /** Whether to use speculative decoding, which makes the answer faster and never changes it. Default: true. */
  speculate?: boolean;
  /** 1 to 4 answers that differ in their first token, decoded in one batch; see Completion.alternatives. Default: 1. */
  alternatives?: number;
  /**
   * Whether onText gets the text of all alternatives, not just of the first. Then a caller can end each answer
   * depending on its text, so that the result does not depend on timing. Default: false.
   */
  streamAlternatives?: boolean;
  /** Whether to record every op of this request in Completion.trace. Default: false. */
  traceOps?: boolean;
}

export interface Timings {
  /** The length of the prompt; for a cancelled request, of its cached or evaluated part. */
  promptTokens: number;
  cachedTokens: number;
  prefillMs: number;
  completionTokens: number;
  decodeMs: number;
  /** Time to the first token, from the arrival of the request in the engine. */
  ttftMs: number;
  /** Forward passes after the prompt. There are fewer passes than tokens if drafts were accepted. */
  decodePasses: number;
}

export interface Alternative {
  text: string;
  tokens: Uint32Array;
  /** As in Completion. */
  logProbabilities: Float32Array;
}

export type FinishReason = 'stop' | 'length' | 'cancelled';

export interface Completion {
  text: string;
  tokens: Uint32Array;
  finishReason: FinishReason;
  timings: Timings;
  /**
   * For each token, the natural logarithm of its probability: the softmax over all tokens, whatever the sampling
   * options; during token healing, the softmax over the tokens that are compatible with the given bytes.
   */
  logProbabilities: Float32Array;
  /** If alternatives were requested: the answer above and then the others. Some might differ only in white space. */
  alternatives: Alternative[];
  /** The ops in order, if traceOps was set. */
  trace?: OpEvent[];
}

/** One run of an op on a batch. Layers are numbered from 0; the head has the number after the last layer. */
export interface OpEvent {
  op: string;
  layer: number;
  tokens: number;
  /** Counted from the start of the first op. */
  startMs: number;
  ms: number;
  /** Bytes of weights, or of keys and values, that the op reads. */
  bytes: number;
}

/** Pages hold 32 tokens each. */
export interface CacheStatus {
  pagesTotal: number;
  /** In use by a request or cached for a later one. */
  pagesUsed: number;
  /** In use by a request or pinned, so not evictable. */
  pagesHeld: number;
  pageBytes: number;
  /** Prompt tokens found in the cache since loading. */
  hitTokens: number;
  /** Prompt tokens evaluated since loading. */
  missTokens: number;
  evictions: number;
}

export interface EngineStatus {
  state: 'idle' | 'prefill' | 'decode';
  /** The heartbeat: a counter that grows with every op. */
  beat: number;
  /** The position in the prompt or in the answer. */
  token: number;
  layer: number;
  op: string;
  /** Bytes of weights, or of keys and values, that the op reads. */
  opBytes: number;
  /** The time since the last heartbeat; 0 if the engine is idle. */
  stalledMs: number;
  /** Jobs, including the one that is running. */
  queued: number;
  cache: CacheStatus;
  /** The time that the engine thread has worked since loading. */
  busyMs: number;
  /** busyMs by op, up to the last step. */
  ops: OpTime[];
}

export interface OpTime {
  op: string;
  ms: number;
  calls: number;
  /** Bytes read in all calls. */
  bytes: number;
}

export interface LoadOptions {
  modelPath: string;
  /**
   * 'auto': a GPU if one can run the model, otherwise the CPU. 'hip' tries only AMD GPUs and 'cuda' only NVIDIA GPUs;
   * both load the runtime even if no driver is found. 'webgpu' uses any GPU, with kernels/webgpu. 'webgpu-if-faster' is
   * like 'auto', but also uses a GPU that 'auto' cannot use if Engine.tryGpu() has found it faster than the CPU.
   */
  backend?: 'auto' | 'cpu' | 'hip' | 'cuda' | 'webgpu' | 'webgpu-if-faster';
  /** Part of the name of the GPU to use, such as '4090', or '4090 #2' if there are several. Default: the best GPU. */
  gpu?: string;
  /** The folder with the GPU kernels, <architecture>.co and nvidia.fatbin. Default: gpu/ beside the addon. */
  gpuKernels?: string;
  /** The number of threads; 0: one per core, at most 8. Default: 0. */
  threads?: number;
  /**
   * The variant of the CPU kernels: 'scalar', 'avx2', 'avxvnni', 'avx512vnni', 'amx', 'neon', 'i8mm', or '' for the
   * best.
   */
  variant?: string;
  /** Memory for the KV cache. Default: a tenth of the RAM, at most 1 GiB. */
  cacheBytes?: number;
  /** The format of the KV cache. A GPU always uses f16; ModelInfo has the format in use. Default: 'f16'. */
  kvType?: KvType;
  /** A limit on the context, to make it shorter than the model's. */
  contextTokens?: number;
  /**
   * Paths of LoRA adapters for the model, as llama.cpp's converter writes them. Each request names at most one. If an
   * adapter does not fit the model, loading rejects.
   */
  adapters?: string[];
  /** A draft model for speculative decoding: a smaller model with the same vocabulary. */
  draftModelPath?: string;
  /** Called when the file has been read. If absent, the model gets the prompts of qwen2.5-coder. */
  tokenNames?: (texts: ModelTexts) => TokenNames;
  /** The folder of the disk cache: loading reads it, close() writes it. If absent, there is no disk cache. */
  diskFolder?: string;
  /** The limit of the disk cache; the oldest files are deleted. */
  diskBytes?: number;
}

/**
 * Called with the next piece of an answer: whole characters, and the sum of the log-probabilities of all tokens since
 * the last piece, up to the token that completed this piece. So a token without text, such as a healed token or one
 * with the first bytes of a character, counts for the next piece. A token that ends one piece and begins another counts
 * for the first of the two. An end token counts for no piece.
 *
 * answer: 0 for the main answer, otherwise the index of the alternative. Returning true ends that answer soon, with
 * finish reason 'stop'; the others continue.
 */
export type OnText = (text: string, logProbability: number, answer: number) => unknown;

export interface CompletionRequest extends GenerateRequest {
  /**
   * The caller will not use this text or anything after it, so a team's server can stop at it. (With an engine, onText
   * ends the answer.)
   */
  stopBefore?: string;
}

/** How a completion ended; its text has been streamed. */
export type Completed = Pick<Completion, 'finishReason' | 'timings' | 'alternatives'>;

/** The functions of a model that completing code needs. An engine implements them, and so does a team's server. */
export interface Completer {
  readonly info: ModelInfo;
  tokenize(text: string): Uint32Array;
  tokenBytes(token: number): Uint8Array;
  generate(request: CompletionRequest, onText?: OnText, signal?: AbortSignal): Promise<Completed>;
  prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal, adapter?: string): Promise<Timings>;
  /** Absent, like learn(), for a server, which manages its cache and its drafts itself. */
  pin?(id: number, tokens: Uint32Array, adapter?: string): Promise<void>;
  learn?(tokens: Uint32Array): Promise<void>;
}

/** Some given tokens, and the tokens to score after them. Given tokens cost less. */
export interface Continuation {
  given: Uint32Array;
  scored: Uint32Array;
}

/**
 * One loaded model. Requests may overlap: foreground requests run first and background prefill last; otherwise requests
 * run in order of arrival.
 */
export interface Engine extends Completer {
  /** Replaced by another object when the GPU is lost and the model moves to the CPU. */
  readonly info: ModelInfo;
  /**
   * Called after the model has moved to the CPU. Requests that had not streamed any text are repeated there; others
   * reject with code 'backend-failed'.
   */
  onMovedToCpu?: (info: ModelInfo) => void;
  /** Names of special tokens in the text are plain text unless parseSpecial is set. Lone surrogates become U+FFFD. */
  tokenize(text: string, parseSpecial?: boolean): Uint32Array;
  detokenize(tokens: Uint32Array): string;
  tokenBytes(token: number): Uint8Array;
  /**
   * onText gets the answer as it is generated. An abort resolves with the answer so far and finishReason 'cancelled'.
   */
  generate(request: GenerateRequest, onText?: OnText, signal?: AbortSignal): Promise<Completion>;
  /**
   * Evaluates tokens so that they are cached, and generates nothing. Here and below, adapter is as in GenerateRequest.
   */
  prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal, adapter?: string): Promise<Timings>;
  /** The logits of all tokens, [tokens.length][vocabulary], computed without the cache. */
  logits(tokens: Uint32Array, signal?: AbortSignal, adapter?: string): Promise<Float32Array>;
  /**
   * The logits after the last token, [vocabulary], computed with the cache, with the bits of the last row of logits().
   */
  lastLogits(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal, adapter?: string): Promise<Float32Array>;
  /**
   * The negative log-likelihood, in nats, of each token after the first, given the tokens before it, [tokens.length -
   * 1].
   */
  score(tokens: Uint32Array, signal?: AbortSignal, adapter?: string): Promise<Float32Array>;
  /**
   * The log-probability, in nats, of each scored token of each continuation. All continuations come after the same
   * tokens; there can be at most 64. A prefix that several share is evaluated once. An abort resolves with no scores.
   */
  scoreContinuations(
    tokens: Uint32Array,
    continuations: readonly Continuation[],
    priority?: Priority,
    signal?: AbortSignal,
    adapter?: string,
  ): Promise<Float32Array[]>;
  /**
   * Pins the cached part of these tokens, in place of the id's previous pin; an empty array unpins. Pages without a pin
   * are evicted first. Runs after background requests that arrived earlier.
   */
  pin(id: number, tokens: Uint32Array, adapter?: string): Promise<void>;
  /**
   * Adds a text, such as another document, to the corpus that drafts for speculative decoding are taken from. When the
   * corpus has more than 65,536 tokens, it drops the older half.
   */
  learn(tokens: Uint32Array): Promise<void>;
  status(): EngineStatus;
  /** Drops all pins and every page that no request holds. */
  clearCache(): Promise<void>;
  /**
   * Finds out whether a GPU is faster, unless that is known, and sets info.gpuTrial. The next load uses a faster GPU.
   * Absent if there is no GPU to try. It can take minutes, so call it when the engine is idle, and abort it when a
   * request comes.
   */
  tryGpu?(signal: AbortSignal): Promise<void>;
  /**
   * Cancels all requests and frees the model. Rejects if the disk cache cannot be written; the engine is closed anyway.
   */
  close(): Promise<void>;
}
