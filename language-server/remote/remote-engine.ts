// A team's server behind the Engine interface: prompts are sent to it as text. The local engine tokenizes, and
// generates while the server cannot.
import {
  type Completion,
  type Engine,
  EngineError,
  type GenerateRequest,
  type OnText,
  type Priority,
} from '../../native/index.ts';
import { Answer, sum } from './answer.ts';
import { type CompletionBody, hostOf, type ServerOptions, streamCompletion } from './completions-api.ts';
import type { Piece } from './event-stream.ts';
import { promptText } from './prompt-text.ts';

/** How long the local engine answers after a failure before the server is tried again. */
const fallbackMs = 10_000;

export class RemoteEngine implements Engine {
  private readonly ownInfo: Engine['info'];
  private lastFailure = '';
  private active = 0;
  private beat = 0;
  private fallbackUntilMs = 0;

  /** onFallback: called with a message for the user each time the local engine takes over. */
  constructor(
    private readonly server: ServerOptions,
    private readonly local: Engine,
    private readonly onFallback: (message: string) => void,
  ) {
    const computes = { device: 'server' as const, backend: `server ${hostOf(server)}` };
    const none = { fileBytes: 0, weightBytes: 0, quantization: '', fallbackReason: '', draftProblem: '', loadMs: 0 };
    this.ownInfo = { ...local.info, ...none, name: server.model, path: server.url, ...computes };
  }

  /** Info on whichever answers at present; fallbackReason says why it is not the server. */
  get info(): Engine['info'] {
    return this.usesLocal ? { ...this.local.info, fallbackReason: this.lastFailure } : this.ownInfo;
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
      this.fallbackUntilMs = performance.now() + fallbackMs;
      this.lastFailure = error.message;
      this.onFallback(`${error.message} The local model answers until the server can.`);
      return this.local.generate(request, onText, signal);
    }
  }

  /** Requests one token, only so that the prompt gets into the server's prefix cache. */
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
      ? // The watchdog must not act on a slow server: requests to it have a time limit of their own.
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

  // The server manages its own cache and drafts, and the local engine need not do so for it.
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
    return performance.now() < this.fallbackUntilMs;
  }

  // White space before the cursor is usually part of the next token, so the model first has to generate it itself; if
  // it generates something else, a second attempt has the white space in the prompt. An unfinished word is put into the
  // prompt at once: if the model would have generated it, an earlier suggestion would have contained it.
  private async ask(
    request: GenerateRequest,
    onPiece: (piece: Piece) => boolean,
    signal: AbortSignal,
  ): Promise<Completion> {
    const begin = Buffer.from(request.heal ?? []).toString('utf8');
    const answer = begin.trim() === '' ? await this.attempt(request, begin, onPiece, signal) : null;
    return answer ?? ((await this.attempt(request, '', onPiece, signal)) as Completion);
  }

  /** begin: what the answer must begin with; '' if the prompt contains it. Resolves to null if the answer differs. */
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
        // Leaving the loop closes the connection, which ends generation on the server.
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
