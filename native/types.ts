// What crosses the boundary to the engine: numbers, UTF-8 strings and typed arrays; never JSON.

/** Tokens that a prompt needs; a model without one has -1. */
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
  /** general.name of the GGUF, or the file's name. */
  name: string;
  /** general.architecture of the GGUF, e.g. "qwen2" or "llama". */
  architecture: string;
  path: string;
  fileBytes: number;
  /** As the file names it, e.g. "Q4_K_M"; else the type of most of its bytes. */
  quantization: string;
  layers: number;
  hidden: number;
  vocabulary: number;
  /** Most tokens of one sequence: the model's limit or the cache budget's, whichever is less. */
  contextTokens: number;
  special: SpecialTokens;
  /** Begins every prompt; -1: none. */
  bosToken: number;
  /** As LoadOptions said in its TokenNames. */
  suffixFirst: boolean;
  /** What the KV cache holds. */
  kvType: KvType;
  /** What computes. */
  device: 'cpu' | 'gpu' | 'server';
  /** For people, e.g. "cpu avx512vnni, 2 threads". */
  backend: string;
  /** Why the GPU does not do it; empty when it does, or was not wanted. */
  whyCpu: string;
  /** Why the draft model does not draft; empty when it does, or none was wanted. */
  draftProblem: string;
  loadMs: number;
  /** Bytes of packed weights. */
  weightBytes: number;
  /** Pages of the cache that came from disk, and for the log what there could not be used. */
  restoredPages: number;
  diskProblems: string[];
}

/** What a model file says of its model in words. */
export interface ModelTexts {
  /** general.name and the other texts of general.*, and tokenizer.chat_template. */
  metadata: Readonly<Record<string, string>>;
  /** All control tokens by the names that the vocabulary gives them. */
  specialTokens: Readonly<Record<string, number>>;
}

/** What a model's prompts are made of, where it is not as with qwen2.5-coder. */
export interface TokenNames {
  /** What the model calls special tokens; '' where it must do without. */
  special?: Partial<Record<keyof SpecialTokens, string>>;
  /** Its prompts for filling in the middle begin with the suffix, and may need no fimMiddle. Default false. */
  suffixFirst?: boolean;
}

/** int8 takes a good half of the memory of f16, at a small loss; see README.md. */
export type KvType = 'f16' | 'int8';

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
  /** The whole prompt; warmth is the cache's business. */
  tokens: Uint32Array;
  /** Bytes that the generated text must begin with (token healing); not repeated in the answer's text. */
  heal?: Uint8Array;
  maxTokens: number;
  sampling?: Sampling;
  priority?: Priority;
  /** Ends the generation, beside the model's own end tokens. */
  stopTokens?: Uint32Array;
  /**
   * Drafts tokens from what followed the same words before, in the prompt or in what was learned, and evaluates them in one pass: never changes the answer,
   * only how soon it comes. Default true.
   */
  speculate?: boolean;
  /** 1..4 answers that differ in their first token, decoded side by side; see Completion.alternatives. Default 1. */
  alternatives?: number;
  /**
   * onText gets the pieces of all answers, not of the first alone. A caller that ends each answer where that answer's own
   * text says so, and cuts it there, has alternatives that do not depend on how fast anything was. Default false.
   */
  streamAlternatives?: boolean;
  /** Notes every operation of this request in Completion.trace. Default false. */
  traceOps?: boolean;
}

export interface Timings {
  /** The whole prompt's; of a cancelled request, those that the cache supplied or that were evaluated. */
  promptTokens: number;
  cachedTokens: number;
  prefillMs: number;
  completionTokens: number;
  decodeMs: number;
  /** From the request's arrival in the engine to the first token. */
  ttftMs: number;
  /** Forward passes after the prompt's; fewer than the tokens when drafts were accepted. */
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
   * Natural logarithm of the probability that the model gave to each of the tokens: under its unmodified softmax,
   * whatever the sampling; while healing among the tokens that agree with the given bytes.
   */
  logProbabilities: Float32Array;
  /** If several were asked for: the answer above first, then the others, which may differ in white space alone. */
  alternatives: Alternative[];
  /** If it was asked for: the model's operations in their order. */
  trace?: OpEvent[];
}

/** One operation on the tokens of a batch. Layers count from 0; the head comes behind the last. */
export interface OpEvent {
  op: string;
  layer: number;
  tokens: number;
  /** Since the first one. */
  startMs: number;
  ms: number;
  /** That it reads: weights, or keys and values. */
  bytes: number;
}

/** Pages hold 32 tokens each. */
export interface CacheStatus {
  pagesTotal: number;
  /** Held by a request or kept for a later one. */
  pagesUsed: number;
  pagesHeld: number;
  pageBytes: number;
  /** Prompt tokens supplied by the cache, and those that were evaluated, since load. */
  hitTokens: number;
  missTokens: number;
  evictions: number;
}

export interface EngineStatus {
  /** 'idle' or what runs. */
  state: 'idle' | 'prefill' | 'decode';
  /** Heartbeat: rises with every op. token: position in the prompt or answer. */
  beat: number;
  token: number;
  layer: number;
  op: string;
  /** That the operation reads: weights, or keys and values. */
  opBytes: number;
  /** ms since the last heartbeat while busy; 0 when idle. */
  stalledMs: number;
  queued: number;
  cache: CacheStatus;
  /** Time that the engine thread has worked since load. */
  busyMs: number;
  /** Where that time went, up to the last step: a piece of a prompt, or a token. */
  ops: OpTime[];
}

export interface OpTime {
  op: string;
  ms: number;
  calls: number;
  /** Read in all calls. */
  bytes: number;
}

export interface LoadOptions {
  modelPath: string;
  /**
   * 'auto': a GPU if it can, else the CPU. 'hip' and 'cuda' try only AMD's GPUs or NVIDIA's, and ask their runtime even
   * where no driver is seen.
   */
  backend?: 'auto' | 'cpu' | 'hip' | 'cuda';
  /** A part of the name of the GPU to use, such as '4090'; absent: the best. */
  gpu?: string;
  /** Folder of the GPUs' kernels, <architecture>.co and nvidia.fatbin; absent: gpu/ beside the addon. */
  gpuKernels?: string;
  /** 0 or absent: one a core, at most 8. */
  threads?: number;
  /** '', 'scalar', 'avx2', 'avxvnni', 'avx512vnni', 'amx', 'neon'; '' picks the best. */
  variant?: string;
  /** KV cache budget; absent: min(1 GiB, 10 % of RAM). */
  cacheBytes?: number;
  /** 'f16' if absent. A GPU has f16 whatever is asked for: ModelInfo says which it is. */
  kvType?: KvType;
  /** Limits the context below the model's own. */
  contextTokens?: number;
  /** A smaller model with the same tokens: guesses what this one writes, which is faster and changes nothing. */
  draftModelPath?: string;
  /** Asked once the file is read. Absent: all is as with qwen2.5-coder. */
  tokenNames?: (texts: ModelTexts) => TokenNames;
  /** Folder where cached pages outlive the engine: read here, written by close(). Absent: nowhere. */
  diskFolder?: string;
  /** At most so much there; the oldest is dropped. */
  diskBytes?: number;
}

/**
 * Gets an answer's next piece of whole characters, and the sum of the log-probabilities of the tokens that came since the
 * piece before, up to the one that completed this piece. Tokens without text of their own, such as healed ones or the
 * first bytes of a character, thus count with the piece that follows them. A token that ends one piece and begins the next
 * counts with the first. Tokens behind the last piece, such as an end token, count with none.
 *
 * answer is 0 for the main one. Returning true ends that answer soon, with what there is by then, as 'stop'; the others go
 * on.
 */
export type OnText = (text: string, logProbability: number, answer: number) => unknown;

/** One loaded model. Requests may overlap: the engine runs the foreground first, then in order. */
export interface Engine {
  /** Another object once the GPU was lost and the model moved to the CPU. */
  readonly info: ModelInfo;
  /**
   * Called after such a move. Requests of which nothing was streamed yet are done again on the CPU; the others are
   * rejected with code 'backend-failed'.
   */
  onMovedToCpu?: (info: ModelInfo) => void;
  /** Special tokens are read as plain text unless parseSpecial. Lone surrogates become U+FFFD. */
  tokenize(text: string, parseSpecial?: boolean): Uint32Array;
  detokenize(tokens: Uint32Array): string;
  tokenBytes(token: number): Uint8Array;
  /** onText gets the answer as it comes. Abort: resolves with what there is, finishReason 'cancelled'. */
  generate(request: GenerateRequest, onText?: OnText, signal?: AbortSignal): Promise<Completion>;
  /** Evaluates tokens into the cache; nothing is generated. */
  prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal): Promise<Timings>;
  /** All logits, row-major [tokens.length][vocabulary], evaluated without the cache's help. */
  logits(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
  /** Logits after the last token [vocabulary], through the cache: bitwise the last row of logits(). */
  lastLogits(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
  /** Negative log-likelihood in nats of tokens[1..] given what precedes them; length tokens.length - 1. */
  score(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
  /**
   * Holds what is cached of these tokens, in place of what the pin of this id held before; no tokens: lets it go. Pages
   * that no pin holds are evicted first. Waits behind background requests that came before it.
   */
  pin(id: number, tokens: Uint32Array): Promise<void>;
  /**
   * Drafts may come from this text, too, not only from the prompt: another document, an accepted completion. The newest
   * 65,536 tokens are remembered.
   */
  learn(tokens: Uint32Array): Promise<void>;
  status(): EngineStatus;
  /** Forgets every cached page that no request holds, and all pins. */
  clearCache(): Promise<void>;
  /** Cancels everything and frees the model. Rejects when the pages cannot be written; it is closed all the same. */
  close(): Promise<void>;
}
