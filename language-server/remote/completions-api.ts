// The completion API that vLLM, SGLang, llama.cpp's server and Ollama share: POST /v1/completions, with a stream of
// events as the response. Closing the connection cancels the request.
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../native/index.ts';
import { eventsOf, type Piece, pieceOf } from './event-stream.ts';

export interface ServerOptions {
  /** "https://host:8000", with or without "/v1". */
  url: string;
  /** The name of the model on the server. */
  model: string;
  /** '' if none is to be sent. */
  token: string;
  pace?: Pace;
}

export interface Pace {
  /** A request fails if nothing is received for this long. */
  stallMs: number;
  /** The pause before the second attempt; it doubles for each further one. */
  retryMs: number;
  mostAttempts: number;
}

/** Short, since the next key sends another request anyway. */
const usualPace: Pace = { stallMs: 10_000, retryMs: 200, mostAttempts: 3 };

export interface CompletionBody {
  prompt: string;
  max_tokens: number;
  temperature: number;
  top_p?: number;
  seed?: number;
  logprobs?: number;
}

/** Rejects with an EngineError, or with the signal's reason when aborted. */
export async function* streamCompletion(
  server: ServerOptions,
  body: CompletionBody,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { stallMs } = server.pace ?? usualPace;
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(), stallMs);
  const either = AbortSignal.any([signal, stall.signal]);
  try {
    const response = await connect(server, body, either);
    for await (const event of eventsOf(response.body, () => timer.refresh())) yield pieceOf(event);
  } catch (error) {
    signal.throwIfAborted();
    const host = hostOf(server);
    if (stall.signal.aborted) throw new EngineError('server-failed', `${host} has not answered for ${stallMs} ms.`);
    throw error instanceof EngineError ? error : new EngineError('server-failed', `${host}: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
    stall.abort();
  }
}

/** Refuses to send a token unencrypted, except to this machine. */
function checkToken({ url, token }: ServerOptions): void {
  const { protocol, hostname } = new URL(url);
  const isSafe = protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (token !== '' && !isSafe)
    throw new EngineError(
      'server-failed',
      `The token is not sent to ${hostname} without encryption. Use an https address.`,
    );
}

/** Retries after temporary errors, until the response begins. */
async function connect(server: ServerOptions, body: CompletionBody, signal: AbortSignal): Promise<Response> {
  checkToken(server);
  const { retryMs, mostAttempts } = server.pace ?? usualPace;
  for (let attempt = 1; ; attempt++) {
    const answer = await post(server, body, signal).catch((error: unknown) => error as Error);
    signal.throwIfAborted();
    const mayPass = answer instanceof Error || answer.status === 429 || answer.status >= 500;
    if (answer instanceof Response && answer.ok) return answer;
    if (!mayPass || attempt === mostAttempts)
      throw answer instanceof Error ? answer : await refusal(answer, hostOf(server));
    await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal });
  }
}

function post({ url, model, token }: ServerOptions, body: CompletionBody, signal: AbortSignal): Promise<Response> {
  const base = url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/v1(\/completions)?$/, '');
  return fetch(`${base}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ model, ...body, stream: true, stream_options: { include_usage: true } }),
    signal,
  });
}

async function refusal(response: Response, host: string): Promise<EngineError> {
  const { status } = response;
  const said = (await response.text().catch(() => '')).slice(0, 200);
  if (status === 401 || status === 403)
    return new EngineError('server-refused', `${host} does not accept the token (${status}).`);
  if (status === 404)
    return new EngineError('server-refused', `${host} has no /v1/completions, or no such model (404). ${said}`.trim());
  return new EngineError('server-refused', `${host} answers with status ${status}. ${said}`.trim());
}

export function hostOf({ url }: ServerOptions): string {
  return URL.canParse(url.trim()) ? new URL(url.trim()).host : `"${url}"`;
}

const reasonOf = (error: unknown): string => {
  const { message = String(error), cause } = error as Partial<Error>;
  const { code, message: causeMessage } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return code ?? (causeMessage || message);
};
