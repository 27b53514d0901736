// A language client that sends any messages, valid or not, in any order, as fast as the server reads them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

export interface Reply {
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

export class FrameClient {
  /** Requests and notifications from the server. */
  readonly notices: Reply[] = [];
  readonly replies = new Map<number | string | null, Reply>();
  stderr = '';
  readonly child: ChildProcess & { stdin: Writable; stdout: Readable };
  readonly ended: Promise<[code: number | null, signal: string | null]>;
  private nextId = 1;
  private readonly waiting = new Map<number | string | null, (reply: Reply) => void>();
  private readonly frames = new FrameParser((reply) => this.take(reply));

  constructor(command: string[], env: NodeJS.ProcessEnv = process.env) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env }) as typeof this.child;
    this.child.stdout.on('data', (data: Buffer) => this.frames.add(data));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdin.on('error', () => undefined); // a server that has ended reads nothing
    this.ended = once(this.child, 'exit') as typeof this.ended;
  }

  /** Sends any bytes. Resolves when more can be sent. */
  async write(bytes: string | Buffer): Promise<void> {
    if (this.child.stdin.write(bytes)) return;
    await Promise.race([once(this.child.stdin, 'drain'), this.ended]);
  }

  send(message: object): Promise<void> {
    return this.write(frame(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  notify(method: string, params: object): Promise<void> {
    return this.send({ method, params });
  }

  /** Sends the request. Resolves to its id, not to its reply. */
  async post(method: string, params?: object): Promise<number> {
    const id = this.nextId++;
    await this.send({ id, method, params });
    return id;
  }

  async request(method: string, params?: object): Promise<Reply> {
    return this.reply(await this.post(method, params));
  }

  reply(id: number | string | null): Promise<Reply> {
    const known = this.replies.get(id);
    return known ? Promise.resolve(known) : new Promise((resolve) => this.waiting.set(id, resolve));
  }

  /** Resolves to the first request or notification from the server, past or future, that meets the condition. */
  async notice(isWanted: (notice: Reply) => boolean): Promise<Reply> {
    for (;;) {
      const found = this.notices.find(isWanted);
      if (found) return found;
      await once(this.child.stdout, 'data');
    }
  }

  async initialize(options: object = {}): Promise<void> {
    await this.request('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: options,
    });
    await this.notify('initialized', {});
  }

  open(uri: string, text: string, languageId = 'typescript'): Promise<void> {
    return this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  edit(uri: string, version: number, line: number, character: number, text: string): Promise<void> {
    const position = { line, character };
    const contentChanges = [{ range: { start: position, end: position }, text }];
    return this.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  }

  /** Requests ghost text. Resolves to the request's id. */
  ask(uri: string, line: number, character: number, triggerKind = 2): Promise<number> {
    const params = { textDocument: { uri }, position: { line, character }, context: { triggerKind } };
    return this.post('textDocument/inlineCompletion', params);
  }

  /** Ends the server as LSP specifies. Resolves to its exit code. */
  async stop(): Promise<number | null> {
    await this.request('shutdown');
    await this.notify('exit', {});
    return (await this.ended)[0];
  }

  private take(reply: Reply): void {
    if (reply.id === undefined || reply.method !== undefined) return void this.notices.push(reply);
    this.replies.set(reply.id, reply);
    this.waiting.get(reply.id)?.(reply);
    this.waiting.delete(reply.id);
  }
}

export function frame(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Parses the server's messages. */
class FrameParser {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly onMessage: (message: Reply) => void) {}

  add(data: Buffer): void {
    this.rest = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    for (;;) {
      const head = this.rest.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.rest.toString('latin1', 0, Math.max(0, head)))?.[1]);
      if (head === -1 || this.rest.length < head + 4 + length) return;
      this.onMessage(JSON.parse(this.rest.toString('utf8', head + 4, head + 4 + length)) as Reply);
      this.rest = this.rest.subarray(head + 4 + length);
    }
  }
}
