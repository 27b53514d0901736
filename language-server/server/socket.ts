// The socket, or named pipe, through which the windows of a user share this process. It decides who may connect, lets
// new windows find the process, and notices when no window is left.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fstatSync, ftruncateSync, rmSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { keepOthersOut } from '../../native/index.ts';
import type { Endpoint } from '../protocol/endpoint.ts';
import { isWindows, startTimeOf } from '../protocol/system.ts';

/** How long a client may take to prove its identity. */
const handshakeMs = 5000;
/** How long the process lives without a window: longer than a window takes to reload. */
const lingerMs = 8000;
/** How often to check that new windows can still find this process. */
const keepMs = 3000;
const maxLogBytes = 65_536;

export interface SharedSocketOptions {
  endpoint: Endpoint;
  /** The file with this process's standard error. */
  logFile: string;
  onWindow: (socket: Socket) => void;
  /** Called when the last window has been gone for a while. */
  onDeserted: () => void;
  /** Called when another server has replaced this one, because the system had deleted this server's temporary files. */
  onDisplaced: () => void;
}

export class SharedSocket {
  private readonly windows = new Set<Socket>();
  private server: NetServer | null = null;
  private id = '';
  private isClosed = false;
  private isRestoring = false;
  private lastProblem = '';
  private lingerTimer: NodeJS.Timeout | undefined;
  private readonly keepTimer = setInterval(() => void this.keep(), keepMs);

  constructor(private readonly options: SharedSocketOptions) {}

  /**
   * Listens in the prepared folder, and then announces the process. Resolves to false if another process serves
   * already. In that case, or if anything fails, deletes the folder.
   */
  async open(id: string): Promise<boolean> {
    const { endpoint, logFile } = this.options;
    const [clientWord, serverWord] = [randomWord(), randomWord()];
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      afterWord(socket, clientWord, () => this.add(socket, serverWord));
    });
    let isOurs = false;
    try {
      await listen(server, endpoint.preparedSocket(id));
      if (isWindows) restrict(endpoint.preparedSocket(id));
      const { pid } = process;
      const announcement = { id, pid, startTime: startTimeOf(pid), clientWord, serverWord, logFile };
      isOurs = await endpoint.announce(announcement);
    } finally {
      if (!isOurs) {
        endpoint.withdraw(id);
        server.close();
      }
    }
    if (!isOurs) return false;
    this.server = server;
    this.id = id;
    if (this.windows.size === 0) this.linger();
    return true;
  }

  /** Hides this process from new windows. Connected windows stay. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.keepTimer);
    clearTimeout(this.lingerTimer);
    this.server?.close();
    this.options.endpoint.withdraw(this.id);
    rmSync(this.options.logFile, { force: true });
  }

  private add(socket: Socket, serverWord: string): void {
    if (this.isClosed) return void socket.destroy();
    clearTimeout(this.lingerTimer);
    this.windows.add(socket);
    socket.once('close', () => {
      this.windows.delete(socket);
      if (this.windows.size === 0) this.linger();
    });
    socket.write(`${serverWord}\n`);
    this.options.onWindow(socket);
  }

  private linger(): void {
    clearTimeout(this.lingerTimer);
    if (!this.isClosed) this.lingerTimer = setTimeout(this.options.onDeserted, lingerMs);
  }

  /**
   * Announces the process again if the system has deleted its temporary files: otherwise no new window would find it.
   */
  private async keep(): Promise<void> {
    limitLog();
    const { endpoint, onDisplaced } = this.options;
    if (this.server === null || this.isRestoring || endpoint.isAnnounced(this.id)) return;
    this.isRestoring = true;
    try {
      endpoint.withdraw(this.id);
      const last = this.server;
      if (await this.open(endpoint.prepare())) last.close();
      else onDisplaced();
    } catch (error) {
      if (String(error) !== this.lastProblem) console.error(`New windows cannot find this server: ${error}`);
      this.lastProblem = String(error);
    } finally {
      this.isRestoring = false;
    }
  }
}

/**
 * Keeps other users of this machine from reading the pipe. If that fails, they still learn nothing: the server waits
 * for a word that they do not know.
 */
function restrict(pipe: string): void {
  try {
    keepOthersOut(pipe);
  } catch (error) {
    console.error(`The pipe has the rights that Windows gives by default: ${error}`);
  }
}

function randomWord(): string {
  return randomBytes(32).toString('hex');
}

function listen(server: NetServer, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject).on('error', (error) => console.error(`A window could not connect: ${error.message}`));
      resolve();
    });
  });
}

/** Reads the first line. If it is the word, calls `then`; if not, closes the socket. */
function afterWord(socket: Socket, word: string, then: () => void): void {
  const expected = Buffer.from(`${word}\n`);
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
    then();
    socket.resume();
  };
  socket.on('data', onData);
}

/** Empties the log file when it is too long: the process may run for weeks. */
function limitLog(): void {
  try {
    const log = fstatSync(2);
    if (log.isFile() && log.size > maxLogBytes) ftruncateSync(2);
  } catch {
    // There is no standard error.
  }
}
