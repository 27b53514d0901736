// The server process: one engine, and a session for each connection. The windows of VS Code share a process over a
// socket. Other editors start a process of their own and talk to it over stdio or Node's IPC.
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'vscode-languageserver';
import {
  type Connection,
  createProtocolConnection,
  type InitializeParams,
  LogMessageNotification,
  type MessageReader,
  type MessageWriter,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { type ServerParts, SharedEngine } from '../engine/shared-engine.ts';
import { type Log, windowLog } from '../protocol/log.ts';
import { farewellNotification } from '../protocol/messages.ts';
import { notify } from '../protocol/wire.ts';
import { redacted } from '../secrets/secrets.ts';
import { FrameLimit } from './frame-limit.ts';
import { Inbox, type Source } from './inbox.ts';
import { Session } from './session.ts';

/** How long a window may take to read the farewell. */
const farewellMs = 500;
/** How long the engine may take to write the disk cache. */
const quitMs = 60_000;
/** The exit code that shells report for SIGTERM. */
const terminatedCode = 143;

export class Server {
  private readonly connections = new Map<Connection, Session>();
  private readonly engine: SharedEngine;
  private quitting: Promise<never> | null = null;

  /**
   * onQuit: called before a shared process ends, so that no new window finds it. Null if the process serves one editor.
   */
  constructor(
    parts: ServerParts,
    private readonly onQuit: (() => void) | null = null,
  ) {
    this.engine = new SharedEngine(parts, this.logToAll());
  }

  /** Serves one editor. SIGTERM ends the process as `exit` does, so that the programs that it has started end, too. */
  connectStdio(): void {
    process.once('SIGTERM', () => process.exit(terminatedCode));
    const { stdin, stdout } = process;
    this.connect(new StreamMessageReader(stdin), new StreamMessageWriter(stdout), stdin, process.exit);
  }

  /** source: the stream to pause; null for Node's IPC. onExit: called on LSP's `exit` or when the connection closes. */
  connect(reader: MessageReader, writer: MessageWriter, source: Source | null, onExit: (code: number) => void): void {
    let isClosed = false;
    const fail = (why: string) => {
      console.error(`The connection is closed because of ${why}`);
      source?.destroy();
      close();
    };
    const inbox = new Inbox(reader, writer, source, () => fail('a client that does not read what it is sent.'));
    source?.on(
      'data',
      FrameLimit.following((fault) => fail(`a broken message: ${fault}.`)),
    );
    const lifetime = { shutdownReceived: false, initialize: (_: InitializeParams) => {}, exit: onExit };
    // If an answer cannot be sent, the connection tries to log this. The log cannot be sent either; windowLog ignores
    // that.
    const log = windowLog((message) => connection.sendNotification(LogMessageNotification.type, message), redacted);
    const connect = () => createProtocolConnection(inbox, inbox.outbox, { ...log, log: log.info }, inbox.options);
    const connection: Connection = createConnection(connect, lifetime, ProposedFeatures.all);
    const session = new Session(connection, this.engine, inbox, () => void this.quit());
    this.connections.set(connection, session);
    connection.onShutdown(() => this.end(session));
    const close = () => {
      if (isClosed) return;
      isClosed = true;
      session.dispose();
      this.connections.delete(connection);
      onExit(lifetime.shutdownReceived ? 0 : 1);
    };
    reader.onClose(close);
    // After a malformed frame, it is unknown where the next message begins. So the connection closes, and the editor
    // reconnects. An error of a system call only means that the window has closed.
    reader.onError((error) => {
      if (!('syscall' in error)) console.error(`The connection is closed because of a broken message: ${fault(error)}`);
      close();
    });
  }

  /** Says farewell to all windows, writes the disk cache and ends the process. */
  quit(): Promise<never> {
    this.quitting ??= this.sayFarewell();
    return this.quitting;
  }

  private async sayFarewell(): Promise<never> {
    this.onQuit?.();
    setTimeout(() => process.exit(1), quitMs);
    const told = [...this.connections.keys()].map((connection) => notify(connection, farewellNotification, undefined));
    // A window that does not read must not delay the others.
    await Promise.race([Promise.allSettled(told), sleep(farewellMs)]);
    await this.engine.close();
    process.exit(0);
  }

  /**
   * Ends a session at LSP's `shutdown`. A server for one editor writes the disk cache before it answers, while the
   * editor still waits. A shared server keeps its engine: the window may only be reloading.
   */
  private async end(session: Session): Promise<void> {
    session.dispose();
    if (this.onQuit === null) await this.engine.close();
  }

  /** A log for the shared engine: its messages go to every window. */
  private logToAll(): Log {
    const say = (level: keyof Log) => (message: string) => {
      for (const session of this.connections.values()) session.log[level](message);
    };
    return { info: say('info'), warn: say('warn'), error: say('error') };
  }
}

/** Describes the error in our own words: the parser's words quote the message, which may contain text of a document. */
function fault(error: Error): string {
  return error instanceof SyntaxError ? 'its content is not JSON' : 'its header is not one of LSP';
}
