// A server that several windows share over its socket, as VS Code's windows do.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SocketMessageReader, SocketMessageWriter } from 'vscode-languageserver-protocol/node';
import { LspWindow } from '../support/lsp-client.ts';
import { openSocket, type SharedProcess, startShared } from '../support/shared-process.ts';
import { starterModel } from './real-server.ts';

export class SharedServer {
  /** What the server has written to stderr, which VS Code treats as errors. */
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
    // So that a failing test says how the server ended.
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
    // A cache that is full soon.
    await window.initialize({ 'cache.memoryMiB': 64 }, { bundledModel: starterModel });
    return window;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM'); // as when the system is shut down
    await exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class SharedWindow extends LspWindow {
  constructor(readonly socket: Socket) {
    super(new SocketMessageReader(socket), new SocketMessageWriter(socket));
    this.connection.onError(() => undefined);
  }
}
