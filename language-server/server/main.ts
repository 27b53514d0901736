// The entry point of dist/server.js: the language server on stdio, on Node's IPC, or on a socket for several windows.
import { parseArgs } from 'node:util';
import {
  IPCMessageReader,
  IPCMessageWriter,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageserver/node';
import { addonInfo } from '../../native/index.ts';
import { bundledModelPath } from '../engine/bundled-model.ts';
import { loadModel } from '../engine/load-model.ts';
import { Server } from './server.ts';
import { listen } from './socket.ts';

const options = {
  socket: { type: 'string' },
  'token-file': { type: 'string' },
  'node-ipc': { type: 'boolean' },
} as const;

async function serveWindows(server: Server, path: string, tokenFile: string): Promise<void> {
  const isOurs = await listen(path, tokenFile, (socket) => {
    server.connect(new SocketMessageReader(socket), new SocketMessageWriter(socket), socket, () => socket.end());
  });
  if (!isOurs) process.exit(0); // another window has started a server first
  // The window that started this process has closed; another one starts the next server.
  process.once('disconnect', () => void server.quit());
  process.send?.('listening');
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options, strict: false });
  const server = new Server({ loadModel, addonInfo, bundledModel: bundledModelPath() });
  if (typeof values.socket === 'string') await serveWindows(server, values.socket, String(values['token-file']));
  else if (values['node-ipc'])
    server.connect(new IPCMessageReader(process), new IPCMessageWriter(process), null, process.exit);
  else server.connectStdio();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
