// A server that several windows share over its socket, as those of VS Code do.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createProtocolConnection,
  type InlineCompletionList,
  type ProtocolConnection,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageserver-protocol/node';
import type { CompletionOutcome } from '../../language-server/protocol/messages.ts';
import { serverCommand, starterModel } from './real-server.ts';

export class SharedServer {
  /** What it has written to stderr, where VS Code takes it for errors. */
  stderr = '';

  private constructor(
    readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    child.stderr?.on('data', (data: Buffer) => {
      this.stderr += data;
    });
    // So that a test that fails says how.
    child.once('exit', (code, signal) => console.log(`the shared server ended: ${signal ?? code}`));
  }

  static async start(): Promise<SharedServer> {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-shared-'));
    const [, program = ''] = serverCommand;
    const paths = ['--socket', join(folder, 's.sock'), '--token-file', join(folder, 's.token')];
    const child = fork(program, paths, { execArgv: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
    await once(child, 'message');
    return new SharedServer(child, folder);
  }

  async window(): Promise<SharedWindow> {
    const socket = connect(join(this.folder, 's.sock'));
    socket.on('error', () => undefined);
    socket.write(`${readFileSync(join(this.folder, 's.token'), 'utf8')}\n`);
    await once(socket, 'data');
    const window = new SharedWindow(socket);
    await window.initialize();
    return window;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.disconnect(); // as if the window that started it were closed
    await exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class SharedWindow {
  private readonly connection: ProtocolConnection;
  private readonly versions = new Map<string, number>();

  constructor(readonly socket: Socket) {
    this.connection = createProtocolConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
    this.connection.onError(() => undefined);
    this.connection.listen();
  }

  async initialize(): Promise<void> {
    // A cache that is soon full.
    const initializationOptions = { settings: { 'cache.memoryMiB': 64 }, bundledModel: starterModel };
    const params = { processId: null, rootUri: null, capabilities: {}, initializationOptions };
    await this.connection.sendRequest('initialize', params);
    await this.connection.sendNotification('initialized', {});
  }

  open(uri: string, text: string): Promise<void> {
    this.versions.set(uri, 1);
    const textDocument = { uri, languageId: 'typescript', version: 1, text };
    return this.connection.sendNotification('textDocument/didOpen', { textDocument });
  }

  /** Replaces some characters by text. */
  edit(uri: string, line: number, character: number, text: string, replaced = 0): Promise<void> {
    const version = (this.versions.get(uri) ?? 0) + 1;
    this.versions.set(uri, version);
    const range = { start: { line, character }, end: { line, character: character + replaced } };
    const contentChanges = [{ range, text }];
    return this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges,
    });
  }

  ask(uri: string, line: number, character: number): Promise<InlineCompletionList & CompletionOutcome> {
    const params = { textDocument: { uri }, position: { line, character }, context: { triggerKind: 2 } };
    return this.connection.sendRequest('textDocument/inlineCompletion', params);
  }

  rest(uri: string, line: number, character: number): Promise<void> {
    return this.connection.sendNotification('hearth/cursor', { uri, position: { line, character } });
  }
}
