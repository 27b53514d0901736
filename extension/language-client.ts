// Configures the language client: it uses the socket of the shared server, shows no messages and never restarts the
// server by itself. The library is large, so this file is imported while the server is starting.
import type { Socket } from 'node:net';
import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  SocketMessageReader,
  SocketMessageWriter,
  State,
} from 'vscode-languageclient/node';
import type { InitializationOptions } from '../language-server/protocol/messages.ts';
import { documentSelector } from './config.ts';

export interface LanguageClientHost {
  log: LogOutputChannel;
  onRunning: (client: LanguageClient) => void;
  /** Called when the connection has closed and this window did not close it. */
  onEnd: () => void;
}

export function createLanguageClient(
  socket: Socket,
  initializationOptions: InitializationOptions,
  { log, onRunning, onEnd }: LanguageClientHost,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector,
    initializationOptions,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: (error) => {
        log.error(`The connection to the language server failed: ${error.message}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        onEnd();
        return { action: CloseAction.DoNotRestart, handled: true, message: 'The language server stopped.' };
      },
    },
  };
  const transports = {
    reader: new SocketMessageReader(socket),
    writer: new SocketMessageWriter(socket),
    detached: true,
  };
  const client = new LanguageClient('hearth', 'Hearth', async () => transports, options);
  client.onDidChangeState(({ newState }) => newState === State.Running && onRunning(client));
  return client;
}
