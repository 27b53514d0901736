// Requests to a team's server. What comes back is an answer with a status of 200 or an error in a sentence.
import * as http from 'node:http';
import * as https from 'node:https';
import { version } from '../../package.json';
import { sentence } from '../protocol/log.ts';
import type { NetworkSettings } from '../protocol/messages.ts';
import { Credential } from './credential.ts';
import { agentFor, isLoopback } from './network.ts';
import { ServerError } from './server-error.ts';

export interface ServerOptions {
  /** With or without the scheme and "/v1". */
  url: string;
  /** The name of the model on the server; '' for its first one. See describe(). */
  model: string;
  /** See Credential; '' if none is to be sent. */
  credential: string;
  network?: NetworkSettings;
}

export type Response = http.IncomingMessage;

const mostErrorChars = 1024;
const mostJsonChars = 2 ** 20;
const mostRetryAfterMs = 3_600_000;

export class Connection {
  readonly url: URL;
  readonly credential: Credential;
  readonly agent: http.Agent;

  /** Throws a ServerError for an address that cannot be used. */
  constructor(options: ServerOptions) {
    this.url = addressOf(options.url);
    const { username, password } = this.url;
    const inUrl = username === '' ? '' : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.url.username = '';
    this.url.password = '';
    this.credential = new Credential(options.credential || inUrl);
    if (!this.credential.isEmpty && this.url.protocol === 'http:' && !isLoopback(this.url))
      throw new ServerError(`The token is not sent to ${this.host} without encryption. Use an https address.`);
    this.agent = agentFor(this.url, options.network ?? {});
  }

  get host(): string {
    return this.url.host;
  }

  /** Without a body it is a GET. Rejects with a ServerError. */
  async open(path: string, body: object | null, signal: AbortSignal, headers = {}): Promise<Response> {
    try {
      let response = await this.send(path, body, signal, headers);
      if (response.statusCode === 401 && this.credential.renew()) {
        response.destroy();
        response = await this.send(path, body, signal, headers);
      }
      if (response.statusCode === 200) return response;
      throw await this.refusal(response);
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  async json(path: string, signal: AbortSignal): Promise<unknown> {
    const text = await beginningOf(await this.open(path, null, signal), mostJsonChars);
    try {
      return JSON.parse(text);
    } catch {
      throw new ServerError(`${this.host} answers ${path} with something that is not JSON.`, 200);
    }
  }

  /** Foreign words for the log and the status. */
  quoted(text: unknown): string {
    return sentence(text, this.credential.secrets);
  }

  errorOf(error: unknown): ServerError {
    if (error instanceof ServerError) return error;
    const { code, name, message } = error as NodeJS.ErrnoException;
    const why = causes[/^(Abort|Timeout)Error$/.test(name) ? 'ETIMEDOUT' : (code ?? '')];
    return new ServerError(why ? `${this.host} ${why}` : `${this.host}: ${this.quoted(message ?? error)}.`);
  }

  close(): void {
    this.agent.destroy();
  }

  private async send(path: string, body: object | null, signal: AbortSignal, more: object): Promise<Response> {
    const text = body === null ? '' : JSON.stringify(body);
    const headers = {
      'user-agent': `hearth/${version}`,
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...more,
      ...(await this.credential.headers()),
    };
    signal.throwIfAborted();
    const { request } = this.url.protocol === 'https:' ? https : http;
    const options = { method: body ? 'POST' : 'GET', agent: this.agent, headers };
    const address = this.url.href.replace(/\/$/, '') + path;
    const attempt = () =>
      new Promise<Response>((resolve, reject) => {
        let mayRepeat = true;
        const sent = request(address, options, (response) => {
          mayRepeat = false;
          // Whoever reads the response gets the error; after that, as when it is cancelled, it does not matter.
          response.on('error', () => {});
          resolve(response);
        });
        sent.on('error', (error) => {
          // The server may have closed the connection that was kept alive just now.
          if (mayRepeat && sent.reusedSocket && !signal.aborted) resolve(attempt());
          else reject(signal.aborted ? signal.reason : error);
        });
        // Not as an option of the request, since Node would keep the signal for as long as the connection lives.
        const cancel = () => sent.destroy();
        signal.addEventListener('abort', cancel, { once: true });
        sent.on('close', () => signal.removeEventListener('abort', cancel));
        sent.end(text);
      });
    return attempt();
  }

  /** Why a response is not what was asked for. Reads only the beginning of its body. */
  async refusal(response: Response): Promise<ServerError> {
    const { statusCode: status = 0, headers } = response;
    const said = this.quoted(messageIn(await beginningOf(response, mostErrorChars)));
    return new ServerError(`${this.host} ${this.whatIsWrong(response)} ${said}`.trim(), status, retryAfter(headers));
  }

  private whatIsWrong({ statusCode: status = 0, headers }: Response): string {
    const { location = 'nowhere', 'content-type': type = 'nothing' } = headers;
    if (status === 200 && type.startsWith('text/html'))
      return 'answers with a page instead of a completion. Perhaps a gateway wants you to sign in.';
    if (status === 200) return `answers with ${this.quoted(type)} instead of a completion.`;
    if (status < 300 || status >= 400) return statuses[status] ?? `answers with status ${status}.`;
    return `redirects to ${this.quoted(location)}. Code goes only where you have sent it: if this is right, set "hearth.server.url" to that address.`;
  }
}

function addressOf(text: string): URL {
  const given = text.trim();
  const isLocal = /^(localhost|127\.|\[::1\])/.test(given);
  const whole = /^\w+:\/\//.test(given) ? given : `${isLocal ? 'http' : 'https'}://${given}`;
  if (!/^https?:/.test(whole) || !URL.canParse(whole))
    throw new ServerError('"hearth.server.url" is not an address such as https://llm.example.com.');
  const url = new URL(whole);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1(\/completions)?$/, '');
  url.search = '';
  url.hash = '';
  return url;
}

const causes: Record<string, string> = {
  ECONNREFUSED: 'refuses the connection. Is the server running?',
  ECONNRESET: 'has closed the connection.',
  ENOTFOUND: 'cannot be found. Check "hearth.server.url", and the VPN or proxy if there is one.',
  ETIMEDOUT: 'has not answered in time.',
  CERT_HAS_EXPIRED: 'has a certificate that has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host.',
  EPROTO: 'does not speak https. Is the port right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak https. Is the port right?',
};
for (const code of [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])
  causes[code] =
    "has a certificate of an authority that this machine does not know. If it is your company's, name its file in the environment variable NODE_EXTRA_CA_CERTS and restart the editor.";

const statuses: Record<number, string> = {
  401: 'does not accept the token (401). "Hearth: Set Server Token" stores another.',
  403: 'does not allow this token to use the model (403).',
  404: 'has no /v1/completions, or no such model (404).',
  407: 'cannot be reached, since the proxy wants to know who asks (407).',
  429: 'has had too many requests (429).',
  503: 'is busy (503).',
};

/** At most so many characters of a body, which is not read any further. */
async function beginningOf(response: Response, mostChars: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= mostChars) break;
    }
  } catch {
    // What has come may say enough.
  }
  return text.slice(0, mostChars);
}

/** Servers wrap their message in JSON; proxies send pages. */
function messageIn(text: string): unknown {
  if (/^\s*</.test(text)) return '';
  try {
    const { error, message, detail } = JSON.parse(text);
    return error?.message ?? message ?? detail ?? error ?? '';
  } catch {
    return text;
  }
}

function retryAfter(headers: http.IncomingHttpHeaders): number {
  const value = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(mostRetryAfterMs, Math.max(0, ms || 0));
}
