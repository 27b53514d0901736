// The server process: one engine, and a session for each connection. VS Code windows share the process over a socket;
// other editors start their own and talk to it over stdio or Node's IPC.
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
import { Inbox, type Source } from './inbox.ts';
import { Session } from './session.ts';

export class Server {
  private readonly connections = new Map<Connection, Session>();
  private readonly engine: SharedEngine;

  constructor(parts: ServerParts) {
    this.engine = new SharedEngine(parts, this.logToAll());
  }

  connectStdio(): void {
    const { stdin, stdout } = process;
    this.connect(new StreamMessageReader(stdin), new StreamMessageWriter(stdout), stdin, process.exit);
  }

  /** source: the stream to pause; null for Node's IPC. onExit: called on LSP's `exit` or when the connection closes. */
  connect(reader: MessageReader, writer: MessageWriter, source: Source | null, onExit: (code: number) => void): void {
    const inbox = new Inbox(reader, writer, source);
    const lifetime = { shutdownReceived: false, initialize: (_: InitializeParams) => {}, exit: onExit };
    // When an answer cannot be sent, the connection tries to log that, which fails, too, and must not be reported.
    const log = windowLog((message) => connection.sendNotification(LogMessageNotification.type, message));
    const connect = () => createProtocolConnection(inbox, writer, { ...log, log: log.info }, inbox.options);
    const connection: Connection = createConnection(connect, lifetime, ProposedFeatures.all);
    const session = new Session(connection, this.engine, inbox, () => void this.quit());
    this.connections.set(connection, session);
    connection.onShutdown(() => this.end(session));
    const close = () => {
      session.dispose();
      this.connections.delete(connection);
      onExit(lifetime.shutdownReceived ? 0 : 1);
    };
    reader.onClose(close);
    // After a malformed frame, message boundaries are lost. The editor reconnects when the connection closes. An error
    // of the system only means that the window has gone.
    reader.onError((error) => {
      if (!('syscall' in error))
        console.error(`The connection is closed because of a broken message: ${error.message}`);
      close();
    });
  }

  /** Tells all windows, writes the disk cache and ends the process. */
  async quit(): Promise<never> {
    const connections = [...this.connections.keys()];
    await Promise.allSettled(connections.map((connection) => connection.sendNotification(farewellNotification)));
    await this.engine.close();
    process.exit(0);
  }

  /** For the last window, the disk cache is written before the response to `shutdown`, while the editor still waits. */
  private async end(session: Session): Promise<void> {
    session.dispose();
    if (this.connections.size === 1) await this.engine.close();
  }

  /** A log for the shared engine: its messages go to every window. */
  private logToAll(): Log {
    const say = (level: keyof Log) => (message: string) => {
      for (const session of this.connections.values()) session.log[level](message);
    };
    return { info: say('info'), warn: say('warn'), error: say('error') };
  }
}
