// A session with the language server: the client of the library vscode-languageclient, over the link that the
// connection has opened. It shows no messages and never restarts the server. The library is large, so this file is
// imported only while the server starts.
import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageclient/node';
import { cleanLog, type Log } from '../../language-server/protocol/log.ts';
import {
  aliveNotification,
  farewellNotification,
  type InitializationOptions,
  quitNotification,
} from '../../language-server/protocol/messages.ts';
import { notify, onNotification } from '../../language-server/protocol/wire.ts';
import { documentSelector } from '../settings/config.ts';
import type { Session } from './connection.ts';
import type { ProcessLink } from './server-link.ts';

/**
 * How long leave() waits for the server: longer than the connection waits for a sign of life. So if the server hangs,
 * the connection notices it first and kills the server.
 */
const leaveMs = 10_000;

export class ClientSession implements Session {
  readonly client: LanguageClient;
  /** Resolves when the server says that it is about to end. */
  readonly farewell: Promise<void>;
  private readonly log: Log;

  constructor(
    readonly link: ProcessLink,
    initializationOptions: InitializationOptions,
    channel: LogOutputChannel,
  ) {
    const log = cleanLog(channel);
    this.log = log;
    const options: LanguageClientOptions = {
      documentSelector,
      initializationOptions,
      outputChannel: channel,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (error) => {
          log.error(`The connection to the language server failed: ${error.message}`);
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: 'The connection was closed.' }),
      },
    };
    const transports = {
      reader: new StreamMessageReader(link.reader),
      writer: new StreamMessageWriter(link.writer),
      detached: true,
    };
    this.client = new LanguageClient('hearth', 'Hearth', async () => transports, options);
    onNotification(this.client, aliveNotification, () => {}); // the link itself has noticed this sign of life
    this.farewell = new Promise((resolve) => onNotification(this.client, farewellNotification, resolve));
  }

  initialize(): Promise<void> {
    return this.client.start();
  }

  quit(): void {
    notify(this.client, quitNotification, undefined).catch((error: unknown) => this.log.warn(String(error)));
  }

  leave(): Promise<void> {
    return this.client.stop(leaveMs);
  }
}
