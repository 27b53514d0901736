// Sends requests to a team's server. A request resolves to a response with status 200, or rejects with a ServerError,
// whose message is a sentence for people.
import * as http from 'node:http';
import * as https from 'node:https';
import { version } from '../../package.json';
import { sentence } from '../protocol/log.ts';
import type { NetworkSettings } from '../protocol/messages.ts';
import { decoded } from '../protocol/secret-names.ts';
import { Credential } from './credential.ts';
import { cancelled, isLoopback, wayTo } from './network.ts';
import { beginningOf, errorOf, type Response, refusalOf, ServerError } from './server-error.ts';

export interface ServerOptions {
  /** The server's address, with or without the scheme and "/v1". */
  url: string;
  /** The name of the model on the server; '' for its first model. See describe(). */
  model: string;
  /** See Credential; '' to send none. */
  credential: string;
  network?: NetworkSettings;
}

const maxJsonChars = 2 ** 20;
const minLineChars = 8;
/** This much of a line is enough to recognize it. The server may have cut off the rest. */
const maxHeadChars = 40;
const maxQuotedChars = 3000;

export class Connection {
  readonly url: URL;
  readonly credential: Credential;
  private readonly way: ReturnType<typeof wayTo>;

  /** Throws a ServerError for an address that cannot be used. */
  constructor(options: ServerOptions) {
    this.url = addressOf(options.url);
    const { username, password } = this.url;
    const inUrl = username === '' ? '' : `${decoded(username)}:${decoded(password)}`;
    this.url.username = '';
    this.url.password = '';
    this.credential = options.credential === '' ? new Credential(inUrl, false) : new Credential(options.credential);
    if (!this.credential.isEmpty && this.url.protocol === 'http:' && !isLoopback(this.url))
      throw new ServerError(`The token is not sent to ${this.host} without encryption. Use an https address.`);
    this.way = wayTo(this.url, options.network ?? {});
  }

  get host(): string {
    return this.url.host;
  }

  /** Sends a GET if there is no body. Rejects with a ServerError or, if aborted, with the signal's reason. */
  async open(path: string, body: object | null, signal: AbortSignal, headers = {}): Promise<Response> {
    try {
      for (let isRenewed = false; ; isRenewed = true) {
        const response = await this.send(path, body, signal, headers);
        if (response.statusCode === 200) return response;
        const refusal = await this.refusal(response, body);
        if (refusal.status !== 401 || isRenewed || !this.credential.renew()) throw refusal;
      }
    } catch (error) {
      const isOwn = error instanceof ServerError;
      throw signal.aborted && !isOwn ? signal.reason : this.errorOf(error, body);
    }
  }

  async json(path: string, signal: AbortSignal): Promise<unknown> {
    const text = await beginningOf(await this.open(path, null, signal), maxJsonChars);
    try {
      return JSON.parse(text);
    } catch {
      throw new ServerError(`${this.host} answers ${path} with something that is not JSON.`, 200);
    }
  }

  /** A server's words for the log and the status. Some servers repeat the code from the request: it is left out. */
  quoted(text: unknown, sent: object | null = null): string {
    const words = sent !== null && 'prompt' in sent ? beforeCode(String(text), String(sent.prompt)) : text;
    return sentence(words, this.credential.secrets);
  }

  errorOf(error: unknown, sent: object | null): ServerError {
    return errorOf(this.host, error, (text) => this.quoted(text, sent));
  }

  /** The error for a response that is no answer. */
  refusal(response: Response, sent: object | null): Promise<ServerError> {
    return refusalOf(this.host, response, (text) => this.quoted(text, sent));
  }

  close(): void {
    this.way.agent.destroy();
  }

  private async send(path: string, body: object | null, signal: AbortSignal, more: object): Promise<Response> {
    const text = body === null ? '' : JSON.stringify(body);
    const headers = {
      'user-agent': `hearth/${version}`,
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...more,
      ...(await this.credential.headers(signal)),
    };
    signal.throwIfAborted();
    const { request } = this.url.protocol === 'https:' ? https : http;
    const options = { ...this.way, method: body ? 'POST' : 'GET', headers };
    const address = this.url.href.replace(/\/$/, '') + path;
    const attempt = () =>
      new Promise<Response>((resolve, reject) => {
        let mayRepeat = true;
        const sent = request(address, options, (response) => {
          mayRepeat = false;
          // The reader of the response gets its error. Later, or after the request is cancelled, the error does not
          // matter.
          response.on('error', () => {});
          resolve(response);
        });
        sent.on('error', (error) => {
          // Perhaps the server has just closed the connection that was kept alive.
          if (mayRepeat && sent.reusedSocket && !signal.aborted) resolve(attempt());
          else reject(signal.aborted ? signal.reason : error);
        });
        // If the signal were an option of the request, Node would keep it for as long as the connection lives.
        const cancel = () => {
          sent.emit(cancelled);
          sent.destroy();
          // Without a connection yet, the request emits no error.
          reject(signal.reason);
        };
        signal.addEventListener('abort', cancel, { once: true });
        sent.on('close', () => {
          signal.removeEventListener('abort', cancel);
          // If an answer switches protocols, Node emits only this event.
          reject(Object.assign(new Error(), { code: 'ECONNRESET' }));
        });
        sent.end(text);
      });
    return attempt();
  }
}

function addressOf(text: string): URL {
  const given = text.trim();
  const whole = /^\w+:\/\//.test(given) ? given : `https://${given}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ServerError('"hearth.server.url" is not an address such as https://llm.example.com.');
  if (whole !== given && isLoopback(url)) url.protocol = 'http:';
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1(\/completions)?$/, '');
  url.search = '';
  url.hash = '';
  return url;
}

/**
 * A server's words up to the code that it repeats, perhaps in part, or as JSON with escapes such as "\n". Short lines
 * of code do not count: any message may contain such words.
 */
function beforeCode(text: string, prompt: string): string {
  const words = text.slice(0, maxQuotedChars).replace(/\\(?:u([\da-f]{4})|(.))/gi, unescaped);
  const lines = prompt.split(/\n|<[^<>\s]+>/).map((line) => line.trim());
  const heads = lines.filter((line) => line.length >= minLineChars).map((line) => line.slice(0, maxHeadChars));
  const places = heads.map((head) => words.indexOf(head)).filter((at) => at >= 0);
  return places.length === 0 ? words : `${words.slice(0, Math.min(...places))}***`;
}

function unescaped(_: string, code: string | undefined, character = ''): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return { n: '\n', r: '\r', t: '\t' }[character] ?? character;
}
