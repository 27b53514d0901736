// The process: one engine, and a session for every connection. Editors with a server of their own talk over stdio or
// Node's IPC; the windows of VS Code share one over a socket.
import { createConnection } from 'vscode-languageserver';
import {
  type Connection,
  createProtocolConnection,
  type InitializeParams,
  type Logger,
  type MessageReader,
  type MessageWriter,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { Inbox, type Source } from './inbox.ts';
import { type Log, unlessGone } from './log.ts';
import { farewellNotification } from './protocol.ts';
import { Session } from './session.ts';
import { type ServerParts, SharedEngine } from './shared-engine.ts';

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

  /** source: what can be told to wait; Node's IPC cannot. onExit: LSP's `exit` came, or the connection has ended. */
  connect(reader: MessageReader, writer: MessageWriter, source: Source | null, onExit: (code: number) => void): void {
    const inbox = new Inbox(reader, writer, source);
    const lifetime = { shutdownReceived: false, initialize: (_: InitializeParams) => {}, exit: onExit };
    // An answer that cannot be written any more is logged, and the log cannot be written either.
    const connect = (logger: Logger) => {
      const { error, warn, info } = unlessGone(logger);
      return createProtocolConnection(inbox, writer, { error, warn, info, log: info }, inbox.options);
    };
    const connection = createConnection(connect, lifetime, ProposedFeatures.all);
    const session = new Session(connection, this.engine, inbox, () => void this.quit());
    this.connections.set(connection, session);
    connection.onShutdown(() => this.end(session));
    const close = () => {
      session.dispose();
      this.connections.delete(connection);
      onExit(lifetime.shutdownReceived ? 0 : 1);
    };
    reader.onClose(close);
    // Behind a broken frame nothing can be told apart any more. An editor that is left alone starts anew.
    reader.onError((error) => {
      console.error(`The connection is closed because of a broken message: ${error.message}`);
      close();
    });
  }

  /** Says goodbye, writes what outlives the process, and ends it. */
  async quit(): Promise<never> {
    const connections = [...this.connections.keys()];
    await Promise.allSettled(connections.map((connection) => connection.sendNotification(farewellNotification)));
    await this.engine.close();
    process.exit(0);
  }

  /** The last window writes what outlives the process while its editor still waits. */
  private async end(session: Session): Promise<void> {
    session.dispose();
    if (this.connections.size === 1) await this.engine.close();
  }

  /** What concerns the engine concerns every window. */
  private logToAll(): Log {
    const say = (level: keyof Log) => (message: string) => {
      for (const connection of this.connections.keys()) unlessGone(connection.console)[level](message);
    };
    return { info: say('info'), warn: say('warn'), error: say('error') };
  }
}
