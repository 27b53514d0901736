// The socket, or named pipe, through which the windows of one user share this process. Only that user can open it, and
// each connection must begin with a token from a file that only that user can read.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';

const handshakeMs = 5000;
const ownerOnly = 0o600;
/** Sent to a client whose token is right. */
const greeting = '\n';

/**
 * Starts to listen; resolves to false if another process already does. The token is written after that, so a client may
 * find the socket a moment before its token.
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
    rmSync(path, { force: true }); // left by a process that was killed
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

/** Reads the first line, which must be the token, and passes on the socket with the rest unread. */
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
