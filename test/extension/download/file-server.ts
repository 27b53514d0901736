// A file server on 127.0.0.1. It behaves correctly, except in requests for which the test chooses a fault.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RemoteFile } from '../../../language-server/protocol/models.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse, server: FileServer) => void;

export class FileServer {
  readonly requests: IncomingMessage['headers'][] = [];
  /** The answers to the next requests, in order. Later requests are answered correctly. */
  readonly answers: Answer[] = [];
  etag: string | null = '"one"';
  private readonly http = createServer((request, response) => {
    this.requests.push(request.headers);
    (this.answers.shift() ?? serve)(request, response, this);
  });

  constructor(public content: Buffer) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  file(changes: Partial<RemoteFile> = {}): RemoteFile {
    const sha256 = createHash('sha256').update(this.content).digest('hex');
    const { length } = this.content;
    const url = `${this.origin}/models/a.gguf`;
    return { name: 'a.gguf', url, minBytes: length, maxBytes: length, sha256, ...changes };
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }
}

/**
 * Answers as servers should: with the requested range if the file still has the ETag of If-Range, or with all bytes.
 */
export const serve: Answer = (request, response, server) => send(request, response, server, server.content.length);

/** Answers in the same way, but breaks the connection after this number of bytes. */
export const breakAfter =
  (bytes: number): Answer =>
  (request, response, server) =>
    send(request, response, server, bytes);

/** Answers with a status and nothing else. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(code, headers).end();
  };

export const page: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Please sign in</html>');
};

function send(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { content, etag }: FileServer,
  bytesUntilLoss: number,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? Number.NaN);
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const isPart = !Number.isNaN(from) && isSame;
  const etagHeader = etag === null ? {} : { etag };
  if (isPart && from >= content.length)
    return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  const bytes = content.subarray(isPart ? from : 0);
  response.writeHead(isPart ? 206 : 200, {
    ...etagHeader,
    'content-length': bytes.length,
    ...(isPart && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  });
  if (bytes.length <= bytesUntilLoss) return void response.end(bytes);
  response.write(bytes.subarray(0, bytesUntilLoss), () => response.socket?.destroySoon());
}
