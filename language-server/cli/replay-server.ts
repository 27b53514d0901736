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
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import * as protocol from '../protocol.ts';
import { cursorAfter, type Edit, type Trace, textAfter } from './trace.ts';

const partialResult = new ProgressType<InlineCompletionItem[]>();

export interface Answer {
  /** What is offered; null when nothing is. */
  text: string | null;
  /** By the next key, before the answer came. */
  isCancelled: boolean;
  /** Until there was something to show or the answer that there is nothing; null when the next key came before. */
  firstTextMs: number | null;
  fullMs: number;
}

export interface Pending {
  answer: Promise<Answer>;
  cancel: () => void;
}

export class ReplayServer {
  status: protocol.ServerStatus = { health: 'starting' };
  /** By the engine for answers so far. One from memory has none; of one that is not whole yet they come later. */
  evaluatedTokens = 0;
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
  static async start(trace: Trace, languageId: string, initializationOptions: protocol.InitializationOptions) {
    const { child, connection } = spawnServer();
    const server = new ReplayServer(child, connection, trace);
    const ready = new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the language server ended with exit code ${code}`)));
      connection.onNotification(protocol.statusNotification, (status: protocol.ServerStatus) => {
        server.noteStatus(status);
        if (status.health === 'ready') resolve();
        if (status.health === 'error') reject(new Error(status.message));
      });
    });
    const opened = async () => {
      connection.listen();
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
    };
    try {
      await Promise.all([ready, opened()]);
      return server;
    } catch (error) {
      // A server that lives on would keep this process alive, too.
      connection.dispose();
      child.kill();
      throw error;
    }
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
    const { line, character, deleted, insert } = edit;
    const range = { start: { line, character }, end: { line, character: character + deleted } };
    this.change({ range, text: insert });
    return this.complete(cursorAfter(edit));
  }

  /** Makes the document what it is after that edit of the trace (-1: before all), in one change; the cursor's place. */
  goTo(trace: Trace, edit: number): Position {
    this.change({ text: textAfter(trace, edit) });
    const last = trace.edits[edit];
    return last ? cursorAfter(last) : { line: 0, character: 0 };
  }

  complete(position: Position): Pending {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const source = new CancellationTokenSource();
    const { token } = source;
    const partialResultToken = `replay-${++this.requests}`;
    let firstTextMs: number | null = null;
    const progress = this.connection.onProgress(partialResult, partialResultToken, (items) => {
      if (items.length > 0 && !token.isCancellationRequested) firstTextMs ??= elapsed();
    });
    const context = { triggerKind: 2 as const };
    const params = { textDocument: { uri: this.uri }, position, context, partialResultToken };
    const answer = this.connection
      .sendRequest(InlineCompletionRequest.type, params, token)
      .then(
        (result) => (Array.isArray(result) ? result : (result?.items ?? [])),
        () => [],
      )
      .then(([item]): Answer => {
        progress.dispose();
        const fullMs = elapsed();
        const isCancelled = token.isCancellationRequested;
        const text = item === undefined ? null : String(item.insertText);
        return { text, isCancelled, firstTextMs: firstTextMs ?? (isCancelled ? null : fullMs), fullMs };
      });
    return { answer, cancel: () => source.cancel() };
  }

  /** In MB now, and at most so far. */
  memory(): { rssMb: number; peakRssMb: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const mb = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    return { rssMb: mb('VmRSS'), peakRssMb: mb('VmHWM') };
  }

  /** Time that the server's threads have run. */
  cpuMs(): number {
    // Behind the name in parentheses: utime and stime are fields 14 and 15, in hundredths of a second.
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').replace(/^.*\) /, '');
    const fields = stat.split(' ').slice(11, 13).map(Number);
    return 10 * fields.reduce((sum, ticks) => sum + ticks, 0);
  }

  async close(): Promise<void> {
    await this.connection.sendRequest('shutdown');
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    await this.connection.sendNotification('exit');
    await gone;
    this.connection.dispose();
  }

  private noteStatus(status: protocol.ServerStatus): void {
    const { last } = status;
    const isAnswer = last !== undefined && last.latencyMs !== this.status.last?.latencyMs;
    if (isAnswer) this.evaluatedTokens += last.promptTokens - last.cachedTokens;
    this.status = status;
    this.onStatus();
  }

  private change(change: TextDocumentContentChangeEvent): void {
    void this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [change],
    });
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
