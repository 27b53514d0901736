// The real language server in a child process, as an editor has it: one document, edits and completions.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  CancellationTokenSource,
  createProtocolConnection,
  type InlineCompletionItem,
  InlineCompletionRequest,
  type Position,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import * as protocol from '../protocol.ts';
import { cursorAfter, type Edit, type Trace } from './trace.ts';

const partialResult = new ProgressType<InlineCompletionItem[]>();

export interface Answer {
  hasText: boolean;
  isCancelled: boolean;
  firstTextMs: number;
  fullMs: number;
}

export interface Pending {
  answer: Promise<Answer>;
  cancel: () => void;
}

export class ReplayServer {
  status: protocol.ServerStatus = { health: 'starting' };
  private version = 1;
  private requests = 0;
  private onStatus = () => {};
  private readonly uri: string;

  private constructor(
    private readonly child: ReturnType<typeof spawnServer>['child'],
    private readonly connection: ReturnType<typeof spawnServer>['connection'],
    trace: Trace,
  ) {
    this.uri = `file:///replay/${encodeURIComponent(trace.name)}`;
  }

  /** Starts the server, opens the trace's document and waits for the model. */
  static async start(trace: Trace, languageId: string, settings: protocol.Settings, bundledModel: string) {
    const { child, connection } = spawnServer();
    const server = new ReplayServer(child, connection, trace);
    const ready = new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the language server ended with exit code ${code}`)));
      connection.onNotification(protocol.statusNotification, (status: protocol.ServerStatus) => {
        server.status = status;
        server.onStatus();
        if (status.health === 'ready') resolve();
        if (status.health === 'error') reject(new Error(status.message));
      });
    });
    connection.listen();
    const initializationOptions: protocol.InitializationOptions = { settings, bundledModel };
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions,
    });
    await connection.sendNotification('initialized', {});
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: server.uri, languageId, version: 1, text: trace.text },
    });
    await ready;
    return server;
  }

  /** The cursor stands there for a while, as in a document that was opened; resolves when the server has read it. */
  async rest(position: Position): Promise<void> {
    const params: protocol.CursorParams = { uri: this.uri, position };
    const read = new Promise<void>((resolve) => {
      this.onStatus = resolve;
    });
    await this.connection.sendNotification(protocol.cursorNotification, params);
    await read;
  }

  /** Types the edit and asks for a completion behind it. */
  type(edit: Edit): Pending {
    const startedAt = performance.now();
    const start = { line: edit.line, character: edit.character };
    void this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ range: { start, end: start }, text: edit.insert }],
    });
    const partialResultToken = `replay-${++this.requests}`;
    let firstTextMs: number | undefined;
    const progress = this.connection.onProgress(partialResult, partialResultToken, (items) => {
      if (items.length > 0) firstTextMs ??= performance.now() - startedAt;
    });
    const source = new CancellationTokenSource();
    const params = {
      textDocument: { uri: this.uri },
      position: cursorAfter(edit),
      context: { triggerKind: 2 as const },
      partialResultToken,
    };
    const answer = this.connection
      .sendRequest(InlineCompletionRequest.type, params, source.token)
      .then(
        (result) => (Array.isArray(result) ? result : (result?.items ?? [])),
        () => [],
      )
      .then((items): Answer => {
        progress.dispose();
        const fullMs = performance.now() - startedAt;
        const hasText = items.length > 0;
        return {
          hasText,
          isCancelled: source.token.isCancellationRequested,
          firstTextMs: firstTextMs ?? fullMs,
          fullMs,
        };
      });
    return { answer, cancel: () => source.cancel() };
  }

  peakRssMb(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  async close(): Promise<void> {
    await this.connection.sendRequest('shutdown');
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    await this.connection.sendNotification('exit');
    await gone;
    this.connection.dispose();
  }
}

function spawnServer() {
  const program = process.argv[1] ?? '';
  const child = spawn(process.execPath, [program, 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  return { child, connection };
}
