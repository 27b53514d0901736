// The language client as Hearth uses it: over the socket of the shared server, without messages of its own, and without
// starting again by itself.
import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageclient/node';
import type { InitializationOptions } from '../language-server/protocol.ts';
import { documentSelector } from './config.ts';
import type { ServerProcess } from './server-process.ts';

/** onEnd: the server has ended, though nobody here asked it to. */
export function createLanguageClient(
  server: ServerProcess,
  initializationOptions: InitializationOptions,
  log: LogOutputChannel,
  onEnd: () => void,
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
  const transports = async () => {
    const socket = await server.connect();
    return { reader: new SocketMessageReader(socket), writer: new SocketMessageWriter(socket), detached: true };
  };
  return new LanguageClient('hearth', 'Hearth', transports, options);
}
