// A server that several windows share over its socket, as those of VS Code do.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
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
import { openSocket, type SharedProcess, startShared } from '../support/shared-process.ts';
import { starterModel } from './real-server.ts';

export class SharedServer {
  /** What it has written to stderr, where VS Code takes it for errors. */
  stderr = '';

  readonly child: ChildProcess;

  private constructor(
    private readonly process: SharedProcess,
    private readonly folder: string,
  ) {
    const { child } = process;
    this.child = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.stderr += data;
    });
    // So that a test that fails says how.
    child.once('exit', (code, signal) => console.log(`the shared server ended: ${signal ?? code}`));
  }

  static async start(): Promise<SharedServer> {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-shared-'));
    const process = startShared(folder);
    await once(process.child, 'message');
    return new SharedServer(process, folder);
  }

  async window(): Promise<SharedWindow> {
    const window = new SharedWindow(await openSocket(this.process.endpoint));
    await window.initialize();
    return window;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM'); // as when the system is shut down
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
