// The socket, or named pipe, over which the windows of one user share this process. Only that user can open it, and a
// connection must begin with the token from a file that only that user can read.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';

const handshakeMs = 5000;
const ownerOnly = 0o600;
/** Tells a client that its token is right. */
const greeting = '\n';

/**
 * Listens there; false if a living process does already. The token is written once the socket is ours, so whoever finds
 * the socket finds its token, if need be a moment later.
 */
export async function listen(
  path: string,
  tokenFile: string,
  onConnection: (socket: Socket) => void,
): Promise<boolean> {
  const token = randomBytes(32).toString('hex');
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    afterToken(socket, token, onConnection);
  });
  if (!(await tryListen(server, path))) {
    if (await isServed(path)) return false;
    rmSync(path, { force: true }); // left behind by a process that was killed
    if (!(await tryListen(server, path))) return false;
  }
  if (process.platform !== 'win32') chmodSync(path, ownerOnly);
  writeFileSync(tokenFile, token, { mode: ownerOnly });
  return true;
}

function tryListen(server: NetServer, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error));
    server.once('error', onError);
    server.listen(path, () => {
      server.off('error', onError);
      resolve(true);
    });
  });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isLive: boolean) => {
      socket.destroy();
      resolve(isLive);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

/** Reads the first line, which must be the token, and hands the socket over with the rest unread. */
function afterToken(socket: Socket, token: string, onConnection: (socket: Socket) => void): void {
  const expected = Buffer.from(`${token}\n`);
  let received = Buffer.alloc(0);
  socket.setTimeout(handshakeMs, () => socket.destroy());
  const onData = (data: Buffer) => {
    received = Buffer.concat([received, data]);
    if (received.length < expected.length) return;
    socket.off('data', onData);
    socket.pause();
    socket.setTimeout(0);
    if (!timingSafeEqual(received.subarray(0, expected.length), expected)) return void socket.destroy();
    if (received.length > expected.length) socket.unshift(received.subarray(expected.length));
    socket.write(greeting);
    onConnection(socket);
    socket.resume();
  };
  socket.on('data', onData);
}
