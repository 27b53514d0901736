// A loaded engine. It checks the options of requests, and reloads the model on the CPU if the GPU is lost.
import {
  EngineError,
  guarded,
  type NativeEngine,
  type NativeRequest,
  type NativeResult,
  requireCount,
} from './addon.ts';
import type { ModelInfo, ModelTexts, SpecialTokens, TokenNames } from './model-types.ts';
import type { Completion, Continuation, Engine, EngineStatus, OnText, Priority, Timings } from './types.ts';

export class LoadedEngine implements Engine {
  info: ModelInfo;
  readonly texts: ModelTexts;
  onMovedToCpu?: (info: ModelInfo) => void;
  tryGpu?: (signal: AbortSignal) => Promise<void>;
  private readonly names: TokenNames;
  private nextId = 1;
  private isClosed = false;
  private moving: Promise<void> | undefined;
  private readonly unanswered = new Set<Promise<NativeResult>>();

  constructor(
    private native: NativeEngine,
    tokenNames: (texts: ModelTexts) => TokenNames,
    private readonly loadOnCpu: () => Promise<NativeEngine>,
    /** Why the drivers of some GPUs were not called; '' if all were. */
    driverProblem = '',
  ) {
    this.texts = native.texts();
    this.names = tokenNames(this.texts);
    const info = infoOf(native, this.texts, this.names);
    const isOnCpu = info.device === 'cpu' && driverProblem !== '';
    const reasons = [driverProblem, info.fallbackReason].filter((each) => each !== '');
    this.info = isOnCpu ? { ...info, fallbackReason: reasons.join('; ') } : info;
  }

  tokenize(text: string, parseSpecial = false): Uint32Array {
    this.requireOpen();
    return this.native.tokenize(text, parseSpecial);
  }

  detokenize(tokens: Uint32Array): string {
    this.requireTokens(tokens);
    return this.native.detokenize(tokens);
  }

  tokenBytes(token: number): Uint8Array {
    this.requireTokens(Uint32Array.of(token));
    return this.native.tokenBytes(token);
  }

  async generate(
    request: Parameters<Engine['generate']>[0],
    onText?: OnText,
    signal?: AbortSignal,
  ): Promise<Completion> {
    requireCount(request.maxTokens, 'maxTokens');
    const alternatives = request.alternatives ?? 1;
    if (![1, 2, 3, 4].includes(alternatives))
      throw new EngineError('bad-argument', `alternatives must be 1, 2, 3 or 4, not ${alternatives}`);
    const native = {
      ...(request.sampling ?? {}),
      adapter: this.adapterNumber(request.adapter),
      heal: request.heal ?? new Uint8Array(),
      maxTokens: request.maxTokens,
      isBackground: request.priority === 'background',
      stopTokens: request.stopTokens ?? new Uint32Array(),
      speculate: request.speculate ?? true,
      alternatives,
      streamAlternatives: request.streamAlternatives ?? false,
      traceOps: request.traceOps ?? false,
    };
    const { values, ...completion } = await this.submit('generate', request.tokens, native, signal, onText);
    return { ...completion, logProbabilities: values };
  }

  async prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal, adapter?: string): Promise<Timings> {
    const options = { isBackground: priority === 'background', adapter: this.adapterNumber(adapter) };
    return (await this.submit('prefill', tokens, options, signal)).timings;
  }

  async logits(tokens: Uint32Array, signal?: AbortSignal, adapter?: string): Promise<Float32Array> {
    return (await this.submit('logits', tokens, { adapter: this.adapterNumber(adapter) }, signal)).values;
  }

  async lastLogits(
    tokens: Uint32Array,
    priority?: Priority,
    signal?: AbortSignal,
    adapter?: string,
  ): Promise<Float32Array> {
    const options = { isBackground: priority === 'background', adapter: this.adapterNumber(adapter) };
    return (await this.submit('lastLogits', tokens, options, signal)).values;
  }

  async score(tokens: Uint32Array, signal?: AbortSignal, adapter?: string): Promise<Float32Array> {
    return (await this.submit('score', tokens, { adapter: this.adapterNumber(adapter) }, signal)).values;
  }

  async scoreContinuations(
    tokens: Uint32Array,
    continuations: readonly Continuation[],
    priority?: Priority,
    signal?: AbortSignal,
    adapter?: string,
  ): Promise<Float32Array[]> {
    const options = {
      adapter: this.adapterNumber(adapter),
      continuations: continuations.map(({ given, scored }) => Uint32Array.from([...given, ...scored])),
      given: Uint32Array.from(continuations, ({ given }) => given.length),
      isBackground: priority === 'background',
    };
    const { values, finishReason } = await this.submit('continuations', tokens, options, signal);
    if (finishReason === 'cancelled') return [];
    let from = 0;
    return continuations.map(({ scored }) => {
      from += scored.length;
      return values.subarray(from - scored.length, from);
    });
  }

  status(): EngineStatus {
    this.requireOpen();
    return this.native.status();
  }

  async pin(id: number, tokens: Uint32Array, adapter?: string): Promise<void> {
    requireCount(id, 'a pin');
    const number = this.adapterNumber(adapter);
    await this.whenReady((native) => native.pin(id, tokens, number));
  }

  async learn(tokens: Uint32Array): Promise<void> {
    await this.whenReady((native) => native.learn(tokens));
  }

  async clearCache(): Promise<void> {
    await this.whenReady((native) => native.clearCache());
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.moving?.catch(() => undefined);
    await this.native.close();
  }

  /**
   * Reloads the model once, however many requests find the GPU lost. If reloading fails, all later requests reject with
   * the reason.
   */
  private moveToCpu(lost: NativeEngine, fallbackReason: string): Promise<void> {
    if (this.native === lost) {
      this.moving ??= this.replace(lost, fallbackReason).then(() => {
        this.moving = undefined;
      });
    }
    return this.moving ?? Promise.resolve();
  }

  private async replace(lost: NativeEngine, fallbackReason: string): Promise<void> {
    this.native = await this.loadOnCpu();
    this.info = { ...infoOf(this.native, this.texts, this.names), fallbackReason };
    // The old engine rejects each request, and submit() repeats it on the new one. Closing the old engine first would
    // cancel its queued requests.
    await Promise.allSettled(this.unanswered);
    // Errors are ignored: the pages on the lost GPU cannot be saved.
    await lost.close().catch(() => undefined);
    this.onMovedToCpu?.(this.info);
  }

  /** For calls that do not use the GPU and so never find out that it is lost. */
  private async whenReady(ask: (native: NativeEngine) => Promise<void>): Promise<void> {
    if (this.moving !== undefined) await this.moving;
    this.requireOpen();
    await guarded(ask(this.native));
  }

  private async submit(
    kind: NativeRequest['kind'],
    tokens: Uint32Array,
    options: Partial<NativeRequest>,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<NativeResult> {
    if (this.moving !== undefined) await this.moving;
    this.requireOpen();
    const { native } = this;
    const id = this.nextId++;
    let hasStreamed = false;
    const stream: OnText = (text, logProbability, answer) => {
      hasStreamed = true;
      const isEnough = onText?.(text, logProbability, answer) === true;
      if (isEnough && !this.isClosed && native === this.native) native.endAnswer(id, answer);
    };
    const request = { ...requestDefaults, ...options, kind, tokens };
    const promise = guarded(native.submit(id, request, onText ? stream : null));
    this.unanswered.add(promise);
    const cancel = () => {
      if (!this.isClosed && native === this.native) native.cancel(id);
    };
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise.finally(() => this.unanswered.delete(promise));
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'backend-failed' || this.isClosed) throw error;
      await this.moveToCpu(native, error.message);
      if (hasStreamed) throw error;
      return await this.submit(kind, tokens, options, signal, onText);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  private adapterNumber(path?: string): number {
    if (path === undefined) return 0;
    const index = this.info.adapters.indexOf(path);
    if (index < 0) throw new EngineError('bad-argument', `the model was loaded without the adapter ${path}`);
    return index + 1;
  }

  private requireOpen(): void {
    if (this.isClosed) throw new EngineError('closed', 'the engine was closed');
  }

  private requireTokens(tokens: Uint32Array): void {
    this.requireOpen();
    const wrong = tokens.find((token) => token >= this.info.vocabulary);
    if (wrong !== undefined) throw new EngineError('bad-argument', `token id ${wrong} is outside the vocabulary`);
  }
}

function infoOf(
  native: NativeEngine,
  { specialTokens }: ModelTexts,
  { special = {}, suffixFirst = false }: TokenNames,
): ModelInfo {
  const names = Object.entries({ ...usualNames, ...special });
  const ids = Object.fromEntries(names.map(([role, name]) => [role, specialTokens[name] ?? -1]));
  return { ...native.info(), suffixFirst, special: ids as Record<keyof SpecialTokens, number> };
}

export const requestDefaults = {
  adapter: 0,
  continuations: [],
  given: new Uint32Array(),
  heal: new Uint8Array(),
  maxTokens: 0,
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  seed: 0,
  isBackground: false,
  stopTokens: new Uint32Array(),
  speculate: false,
  alternatives: 1,
  streamAlternatives: false,
  traceOps: false,
};

/** The names of qwen2.5-coder's tokens. */
const usualNames: Record<keyof SpecialTokens, string> = {
  fimPrefix: '<|fim_prefix|>',
  fimMiddle: '<|fim_middle|>',
  fimSuffix: '<|fim_suffix|>',
  fileSep: '<|file_sep|>',
  repoName: '<|repo_name|>',
  imStart: '<|im_start|>',
  imEnd: '<|im_end|>',
  endOfText: '<|endoftext|>',
};
