// Starts a server process that several windows can share, and connects to it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Announcement, Endpoint } from '../../language-server/protocol/endpoint.ts';

export const serverProgram = join(import.meta.dirname, '../../dist/server.js');

export interface SharedProcess {
  child: ChildProcess;
  endpoint: Endpoint;
}

/** Starts dist/server.js with its files in the folder. stderr: a pipe, or the descriptor of an open file. */
export function startShared(folder: string, stderr: 'pipe' | number = 'pipe'): SharedProcess {
  const endpoint = new Endpoint(join(folder, 'hearth'), 'test');
  const id = endpoint.prepare();
  const child = fork(serverProgram, ['--endpoint', endpoint.preparedFolder(id), '--log', join(folder, 'log')], {
    execArgv: [],
    stdio: ['ignore', 'inherit', stderr, 'ipc'],
  });
  return { child, endpoint };
}

export function announcementAt(endpoint: Endpoint): Announcement {
  const announced = endpoint.announced();
  if (!announced) throw new Error('no server is announced');
  return announced;
}

/**
 * Connects as a window does, with the word that clients must send. Resolves when the server has answered or hung up.
 */
export async function openSocket(endpoint: Endpoint, word = announcementAt(endpoint).clientWord): Promise<Socket> {
  const { id } = announcementAt(endpoint);
  const socket = connect(endpoint.socketOf(id), () => socket.write(`${word}\n`));
  socket.on('error', () => {});
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return socket;
}
