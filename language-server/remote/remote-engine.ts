// A team's server behind the interface of the engine: the same prompts, sent as text. The local engine counts and cuts
// tokens as before, and answers in the server's place while that cannot.
import {
  type Completion,
  type Engine,
  EngineError,
  type GenerateRequest,
  type OnText,
  type Priority,
} from '../../native/index.ts';
import type { LoadModel } from '../engine-host.ts';
import { Answer, sum } from './answer.ts';
import { type CompletionBody, hostOf, type ServerOptions, streamCompletion } from './completions-api.ts';
import type { Piece } from './event-stream.ts';
import { promptText } from './prompt-text.ts';

/** After a failure the local engine answers for so long before the server is asked again. */
const restMs = 10_000;

/** Puts what is loaded behind the team's server, where the options name one. onFallback: see RemoteEngine. */
export function behindServer(load: LoadModel, onFallback: (message: string) => void): LoadModel {
  return async ({ server, ...options }, ...rest) => {
    const model = await load(options, ...rest);
    return server ? { ...model, engine: new RemoteEngine(server, model.engine, onFallback) } : model;
  };
}

export class RemoteEngine implements Engine {
  private readonly ownInfo: Engine['info'];
  private lastFailure = '';
  private active = 0;
  private beat = 0;
  private restsUntilMs = 0;

  /** onFallback gets a sentence for people each time that the local engine steps in. */
  constructor(
    private readonly server: ServerOptions,
    private readonly local: Engine,
    private readonly onFallback: (message: string) => void,
  ) {
    const computes = { device: 'server' as const, backend: `server ${hostOf(server)}` };
    const none = { fileBytes: 0, weightBytes: 0, quantization: '', whyCpu: '', draftProblem: '', loadMs: 0 };
    this.ownInfo = { ...local.info, ...none, name: server.model, path: server.url, ...computes };
  }

  /** Of what answers at present, and why it is not the server. */
  get info(): Engine['info'] {
    return this.usesLocal ? { ...this.local.info, whyCpu: this.lastFailure } : this.ownInfo;
  }

  async generate(
    request: GenerateRequest,
    onText?: OnText,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Completion> {
    if (this.usesLocal) return this.local.generate(request, onText, signal);
    let hasStreamed = false;
    const onPiece = ({ text, logProbabilities }: Piece) => {
      hasStreamed = true;
      return onText?.(text, sum(logProbabilities), 0) === true;
    };
    try {
      return await this.ask(request, onPiece, signal);
    } catch (error) {
      if (!(error instanceof EngineError) || hasStreamed) throw error;
      this.restsUntilMs = performance.now() + restMs;
      this.lastFailure = error.message;
      this.onFallback(`${error.message} The local model answers until the server can.`);
      return this.local.generate(request, onText, signal);
    }
  }

  /** An answer of one token, of no use but for the server's own cache of prefixes. */
  async prefill(tokens: Uint32Array, priority?: Priority, signal?: AbortSignal) {
    const request: GenerateRequest = { tokens, maxTokens: 1, ...(priority && { priority }) };
    return (await this.generate(request, undefined, signal)).timings;
  }

  tokenize(text: string, parseSpecial?: boolean): Uint32Array {
    return this.local.tokenize(text, parseSpecial);
  }

  detokenize(tokens: Uint32Array): string {
    return this.local.detokenize(tokens);
  }

  tokenBytes(token: number): Uint8Array {
    return this.local.tokenBytes(token);
  }

  status() {
    const { state, op, stalledMs, ...status } = this.local.status();
    return this.active > 0
      ? // A server that is slow is this class's own affair, which has a limit.
        { ...status, state: 'decode' as const, op: 'server', stalledMs: 0, beat: ++this.beat, queued: this.active - 1 }
      : { ...status, state, op, stalledMs };
  }

  logits(): Promise<Float32Array> {
    return unsupported('logits');
  }

  lastLogits(): Promise<Float32Array> {
    return unsupported('logits');
  }

  score(): Promise<Float32Array> {
    return unsupported('scores');
  }

  // What is kept warm, and what is guessed, is the server's business; the local engine need not follow.
  pin(): Promise<void> {
    return Promise.resolve();
  }

  learn(): Promise<void> {
    return Promise.resolve();
  }

  clearCache(): Promise<void> {
    return this.local.clearCache();
  }

  close(): Promise<void> {
    return this.local.close();
  }

  private get usesLocal(): boolean {
    return performance.now() < this.restsUntilMs;
  }

  // Whitespace that stands left of the cursor belongs to the first token that follows it. So it is left to the model, and
  // given to it only if it would write something else. A word that has been begun is given at once: where the model
  // would write it, the text was offered before, and this request was never made.
  private async ask(
    request: GenerateRequest,
    onPiece: (piece: Piece) => boolean,
    signal: AbortSignal,
  ): Promise<Completion> {
    const begin = Buffer.from(request.heal ?? []).toString('utf8');
    const answer = begin.trim() === '' ? await this.attempt(request, begin, onPiece, signal) : null;
    return answer ?? ((await this.attempt(request, '', onPiece, signal)) as Completion);
  }

  /** begin: what the answer must begin with; null if it does not. Where it is '', the prompt says all. */
  private async attempt(
    request: GenerateRequest,
    begin: string,
    onPiece: (piece: Piece) => boolean,
    signal: AbortSignal,
  ): Promise<Completion | null> {
    const answer = new Answer(begin);
    let isCancelled = false;
    this.active++;
    try {
      const { heal, ...rest } = request;
      const body = this.bodyOf(begin === '' ? request : rest);
      for await (const piece of streamCompletion(this.server, body, signal)) {
        const own = answer.add(piece);
        // Leaving the loop closes the connection, and with it the server's work.
        if (own === null) return null;
        if (own.text !== '' && onPiece(own)) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      isCancelled = true;
    } finally {
      this.active--;
    }
    return answer.completion(this.local, request, isCancelled);
  }

  private bodyOf({ tokens, heal, maxTokens, sampling }: GenerateRequest): CompletionBody {
    return {
      prompt: promptText({ info: this.info, tokenBytes: (token) => this.local.tokenBytes(token) }, tokens, heal),
      max_tokens: maxTokens,
      temperature: sampling?.temperature ?? 0,
      ...(sampling && { top_p: sampling.topP, seed: sampling.seed }),
      logprobs: 1,
    };
  }
}

function unsupported(what: string): Promise<never> {
  return Promise.reject(new EngineError('server-refused', `A server gives no ${what}.`));
}
