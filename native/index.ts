// The typed boundary to the engine: loads the addon, checks options, and nothing else.
// Across it go numbers, UTF-8 strings and typed arrays; never JSON.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Tokens by name that a prompt needs; a model without one has -1. */
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
  path: string;
  fileBytes: number;
  /** e.g. "Q4_K_M" or the most frequent tensor type. */
  quantization: string;
  layers: number;
  hidden: number;
  vocabulary: number;
  /** Most tokens of one sequence: the model's limit or the cache budget's, whichever is less. */
  contextTokens: number;
  special: SpecialTokens;
  /** e.g. "cpu avx512vnni, 2 threads". */
  backend: string;
  loadMs: number;
  /** Bytes of packed weights. */
  weightBytes: number;
}

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
}

export interface Timings {
  promptTokens: number;
  cachedTokens: number;
  prefillMs: number;
  completionTokens: number;
  decodeMs: number;
  /** From the request's arrival in the engine to the first token. */
  ttftMs: number;
}

export type FinishReason = 'stop' | 'length' | 'cancelled';

export interface Completion {
  text: string;
  tokens: Uint32Array;
  finishReason: FinishReason;
  timings: Timings;
  /** Natural logarithm of the probability of each token. Empty when sampling greedily from candidates. */
  logProbabilities: Float32Array;
}

export interface EngineStatus {
  /** 'idle' or what runs. */
  state: 'idle' | 'prefill' | 'decode';
  /** Heartbeat: rises with every op. token: position in the prompt or answer. */
  beat: number;
  token: number;
  layer: number;
  op: string;
  /** ms since the last heartbeat while busy; 0 when idle. */
  stalledMs: number;
  queued: number;
  cache: { pagesTotal: number; pagesUsed: number; pagesHeld: number; pageBytes: number; hitTokens: number; missTokens: number; evictions: number };
  /** Allocations made by the engine thread since load while serving; a test asserts it stays. */
  busyMs: number;
}

export interface LoadOptions {
  modelPath: string;
  /** 0 or absent: one a core, at most 8. */
  threads?: number;
  /** '', 'scalar', 'avx2', 'avx512vnni', 'neon'; '' picks the best. */
  variant?: string;
  /** KV cache budget; absent: min(1 GiB, 10 % of RAM). */
  cacheBytes?: number;
  /** Limits the context below the model's own. */
  contextTokens?: number;
}

/** Codes of native/error.h, plus 'addon-missing' and 'closed'. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** One loaded model. Requests may overlap: the engine runs the foreground first, then in order. */
export interface Engine {
  readonly info: ModelInfo;
  /** Special tokens are read as plain text unless parseSpecial. Lone surrogates become U+FFFD. */
  tokenize(text: string, parseSpecial?: boolean): Uint32Array;
  detokenize(tokens: Uint32Array): string;
  tokenBytes(token: number): Uint8Array;
  /** onText gets whole characters as they come. Abort: resolves with what there is, finishReason 'cancelled'. */
  generate(request: GenerateRequest, onText?: (text: string) => void, signal?: AbortSignal): Promise<Completion>;
  /** Evaluates tokens into the cache; nothing is generated. */
  prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal): Promise<Timings>;
  /** All logits, row-major [tokens.length][vocabulary], bypassing nothing: the same path as generate. */
  logits(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
  /** Negative log-likelihood in nats of tokens[1..] given what precedes them; length tokens.length - 1. */
  score(tokens: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
  status(): EngineStatus;
  /** Forgets every cached page that no request holds. */
  clearCache(): Promise<void>;
  /** Cancels everything and frees the model. */
  close(): Promise<void>;
}

export interface AddonInfo {
  /** Variants that this CPU can run, best first. */
  variants: string[];
}
