// The completion API that vLLM, SGLang, llama.cpp's server and Ollama share: POST /v1/completions, answered by a stream
// of events. Closing the connection cancels the request.
import { randomUUID } from 'node:crypto';
import { PendingToken } from './credential.ts';
import { type Piece, piecesOf } from './event-stream.ts';
import { type Response, ServerError } from './server-error.ts';
import type { Connection } from './team-connection.ts';

export interface CompletionBody {
  prompt: string;
  max_tokens: number;
  temperature: number;
  top_p?: number;
  seed?: number;
  stop?: string[];
}

/**
 * An id that identifies nobody. By this id, a load balancer can send all requests of this process to the same replica,
 * which has the prompts in its cache.
 */
const user = randomUUID();
/** Fields that some servers refuse. A completion also works without them. */
const optional = { logprobs: 1, stream_options: { include_usage: true }, user };
/** A server that does not stop sending must not occupy a connection forever. */
const maxAnswerMs = 60_000;
/** How long the server may pause within a text. */
const textMs = 2000;
/** How long to wait for the end of a response whose text is complete. */
const drainMs = 1000;

export class CompletionsApi {
  private readonly refused = new Set<string>();
  /** False once a text has come without log-probabilities. The gate then cannot hide anything. */
  givesProbabilities = true;

  constructor(
    private readonly connection: Connection,
    readonly model: string,
  ) {}

  /** Throws a ServerError, for example if no text comes within timeoutMs. If aborted, throws the signal's reason. */
  async *stream(body: CompletionBody, timeoutMs: number, signal: AbortSignal): AsyncGenerator<Piece> {
    const timeout = new AbortController();
    const limit = (ms: number, what: string) => {
      const why = `${this.connection.host} ${what} ${(ms / 1000).toFixed(1)} s.`;
      return setTimeout(() => timeout.abort(new ServerError(why)), ms);
    };
    let timer = limit(timeoutMs, 'has not answered for');
    const total = limit(maxAnswerMs, 'has not ended its answer after');
    try {
      const response = await this.open(body, AbortSignal.any([signal, timeout.signal]));
      let isOver = false;
      try {
        for await (const piece of piecesOf(response.iterator({ destroyOnReturn: false }), body.max_tokens)) {
          if (piece.text !== '') {
            clearTimeout(timer);
            timer = limit(Math.max(timeoutMs, textMs), 'has begun an answer, but has written nothing for');
          }
          if (piece.text !== '' && piece.logProbabilities.length === 0) this.givesProbabilities = false;
          yield piece;
        }
        isOver = true;
      } finally {
        if (isOver) drain(response);
        else response.destroy();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PendingToken)) timeout.signal.throwIfAborted();
      throw this.connection.errorOf(error, body);
    } finally {
      clearTimeout(timer);
      clearTimeout(total);
    }
  }

  /** Sends the request. If the server refuses an optional field, sends it again without that field. */
  private async open(body: CompletionBody, signal: AbortSignal): Promise<Response> {
    const known = Object.entries(optional).filter(([name]) => !this.refused.has(name));
    const whole = { model: this.model, ...body, stream: true, ...Object.fromEntries(known) };
    try {
      const response = await this.connection.open('/v1/completions', whole, signal, { 'x-user-id': user });
      if (response.headers['content-type']?.startsWith('text/event-stream')) return response;
      throw await this.connection.refusal(response, body);
    } catch (error) {
      const words = error instanceof ServerError && [400, 422].includes(error.status) ? error.message : '';
      const [name] = known.find(([each]) => words.includes(each)) ?? [];
      if (name === undefined) throw error;
      this.refused.add(name);
      return this.open(body, signal);
    }
  }
}

/** Receives the end of a response, so that its connection can be used again. */
function drain(response: Response): void {
  const timer = setTimeout(() => response.destroy(), drainMs).unref();
  response.once('close', () => clearTimeout(timer)).resume();
}
