// The program dist/server.js: runs the language server on stdio, on Node's IPC, or on a socket for several windows.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  IPCMessageReader,
  IPCMessageWriter,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageserver/node';
import { addonInfo } from '../../native/index.ts';
import { bundledModelFolder, bundledModelPath, loadModel } from '../engine/load-model.ts';
import type { ServerParts } from '../engine/shared-engine.ts';
import { cannotAnnounceCode, Endpoint } from '../protocol/endpoint.ts';
import { errorText } from '../protocol/log.ts';
import { Server } from './server.ts';
import { SharedSocket } from './socket.ts';

const options = {
  endpoint: { type: 'string' },
  log: { type: 'string' },
  'node-ipc': { type: 'boolean' },
} as const;

/** Serves all windows of a user. folder: prepared by a window with Endpoint.prepare(). */
async function serveWindows(parts: ServerParts, folder: string, logFile: string): Promise<void> {
  const { endpoint, id } = Endpoint.ofPrepared(folder);
  const server = new Server(parts, () => socket.close());
  const socket = new SharedSocket({
    endpoint,
    logFile,
    onWindow: (window) => {
      const [reader, writer] = [new SocketMessageReader(window), new SocketMessageWriter(window)];
      server.connect(reader, writer, window, () => window.end());
    },
    onDeserted: () => void server.quit(),
    onDisplaced: () => void server.quit(),
  });
  const isOurs = await socket.open(id).catch((error: unknown) => {
    console.error(String(error));
    process.exit(cannotAnnounceCode);
  });
  if (!isOurs) {
    rmSync(logFile, { force: true });
    process.exit(0); // another window has started a server first
  }
  process.once('SIGTERM', () => void server.quit());
  // The window that has started this process may have closed meanwhile.
  if (process.connected) process.send?.('listening', () => {});
}

async function start(): Promise<void> {
  const { values } = parseArgs({ options, strict: false });
  const draftModel = process.env.HEARTH_DRAFT_MODEL ?? '';
  const bundled = { bundledModel: bundledModelPath(), adapterFolder: bundledModelFolder() };
  const parts = { loadModel, addonInfo, ...bundled, draftModel };
  if (typeof values.endpoint === 'string') return serveWindows(parts, values.endpoint, String(values.log));
  const server = new Server(parts);
  if (values['node-ipc'])
    server.connect(new IPCMessageReader(process), new IPCMessageWriter(process), null, process.exit);
  else server.connectStdio();
}

export function serve(): void {
  // An unhandled rejection must not end the process for all windows.
  process.on('unhandledRejection', (error) => console.error(errorText(error)));
  start().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
