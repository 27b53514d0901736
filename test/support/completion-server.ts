// A server on this machine that speaks the completion protocol, as well or as badly as the test wants.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Timeouts } from '../../language-server/remote/availability.ts';

export type Answer = (response: ServerResponse, asked: Asked) => void;

export interface Asked {
  path: string;
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  /** The client's port, which is the same for requests over one connection. */
  port: number | undefined;
}

/** The prompts with which Hearth tests whether the server answers and knows a family's special tokens. */
const isProbe = /^def add\(a, b\)|^(.+)\1{7}$/s;

/** Timeouts for tests whose server answers: long enough however busy this machine is. */
export const patient: Timeouts = { minMs: 120_000, maxMs: 120_000, pauseMs: 60_000, maxPauseMs: 60_000 };

export class CompletionServer {
  /** The completions that were requested, without probes. */
  readonly asked: Asked[] = [];
  readonly probes: Asked[] = [];
  /** For each completion whose response was closed, whether the server had finished it. */
  readonly closed: boolean[] = [];
  /** The answers to the next completions, in order. */
  readonly answers: Answer[] = [];
  /** The answer to a completion when `answers` is empty. */
  defaultAnswer: Answer = stream('one', ' two');
  /** The answer to probes. */
  probe: Answer = stream('b');
  /** The answers to GET requests, by path. */
  readonly pages = new Map<string, unknown>();
  /** The status of the answers to GET requests with other paths. */
  refusedPages = 404;

  private constructor(
    private readonly http: Server,
    readonly port: number,
    readonly url: string,
  ) {}

  static async start(tls?: ServerOptions): Promise<CompletionServer> {
    const http = tls ? createTlsServer(tls) : createServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const server = new CompletionServer(http, port, `${tls ? 'https' : 'http'}://127.0.0.1:${port}`);
    http.on('request', (request, response) => void server.handle(request, response));
    return server;
  }

  async close(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url ?? '';
    if (request.method === 'GET') {
      const page = this.pages.get(path);
      response.writeHead(page === undefined ? this.refusedPages : 200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(page ?? {}));
    }
    const body: Record<string, unknown> = JSON.parse(text);
    const asked = { path, body, headers: request.headers, port: request.socket.remotePort };
    if (isProbe.test(String(body.prompt))) {
      this.probes.push(asked);
      return this.probe(response, asked);
    }
    this.asked.push(asked);
    response.on('close', () => this.closed.push(response.writableEnded));
    (this.answers.shift() ?? this.defaultAnswer)(response, asked);
  }
}

export const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
export const send = (response: ServerResponse, event: unknown) => response.write(`data: ${JSON.stringify(event)}\n\n`);

const usage = { prompt_tokens: 40, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 32 } };
const logprobs = { token_logprobs: [0] };

/** A correct answer that sends these texts one after the other. */
export const stream =
  (...texts: string[]): Answer =>
  (response) => {
    begin(response);
    for (const text of texts) send(response, { choices: [{ text, finish_reason: null, logprobs }] });
    send(response, { choices: [{ text: '', finish_reason: 'length' }] });
    send(response, { choices: [], usage });
    response.end('data: [DONE]\n\n');
  };

/** An answer that sends these events but not the final one. */
export const events =
  (...all: unknown[]): Answer =>
  (response) => {
    begin(response);
    for (const event of all) send(response, event);
    response.end();
  };

export const refuse =
  (status: number, text = '', headers = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(text);

/** Begins an answer and never ends it. */
export const endless =
  (status: number, type: string, chunk: string | Buffer): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
