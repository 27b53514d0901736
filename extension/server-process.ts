// All windows share one language server. This file connects to the one that another window has started, or starts it as
// a child process of this window. When that window closes, the server ends, and another window starts the next one.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for a server that another window is starting or that has not written its token yet. */
const patienceMs = 10_000;
const retryMs = 50;
/** How long to wait for the process's exit event, which may come after the connection has closed. */
const exitNoticeMs = 500;

export interface Endpoint {
  /** A Unix socket in a folder that only the user can open, or a named pipe. */
  socket: string;
  tokenFile: string;
}

/** Windows with the same storage folder and the same version of Hearth share a server. */
export function endpointFor(storageFolder: string, version: string): Endpoint {
  const name = createHash('sha256').update(`${storageFolder}\n${version}`).digest('hex').slice(0, 16);
  if (process.platform === 'win32') {
    mkdirSync(storageFolder, { recursive: true });
    return { socket: `\\\\.\\pipe\\hearth-${name}`, tokenFile: join(storageFolder, 'server.token') };
  }
  // Not in the storage folder, as a socket's path is limited to about 100 characters.
  const folder = join(process.env.XDG_RUNTIME_DIR || tmpdir(), `hearth-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) throw new Error(`${folder} must belong to you alone.`);
  return { socket: join(folder, `${name}.sock`), tokenFile: join(folder, `${name}.token`) };
}

export class ServerProcess {
  private child: ChildProcess | undefined;
  private lastEnding = 'in another window';

  constructor(
    private readonly module: string,
    private readonly endpoint: Endpoint,
    /** Called with what the process writes to standard error, such as the message of a crash. */
    private readonly onOutput: (text: string) => void,
  ) {}

  /** The process id if this window has started the server and it is still running. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  async connect(): Promise<Socket> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const socket = await this.tryConnect();
      if (socket !== null) return socket;
      if (performance.now() > end) throw new Error('The language server does not answer.');
      if (this.child === undefined) await this.start();
      else await sleep(retryMs);
    }
  }

  /** How the server ended, such as "exit code 3" or "signal SIGKILL". Only the window that started it knows. */
  async ending(): Promise<string> {
    if (this.child) await Promise.race([once(this.child, 'exit'), sleep(exitNoticeMs)]);
    return this.lastEnding;
  }

  /** Resolves when the process is listening, or has ended because another window has started a server first. */
  private start(): Promise<void> {
    const { socket, tokenFile } = this.endpoint;
    const child = fork(this.module, ['--socket', socket, '--token-file', tokenFile], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.child = child;
    child.stderr?.setEncoding('utf8').on('data', this.onOutput);
    return new Promise((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        this.child = undefined;
        this.lastEnding = signal === null ? `exit code ${code}` : `signal ${signal}`;
        if (code === 0) resolve();
        else reject(new Error(`The language server ended with ${this.lastEnding}.`));
      });
    });
  }

  /** Resolves to null if no server is listening or if it does not accept the token. */
  private tryConnect(): Promise<Socket | null> {
    return new Promise((resolve) => {
      const token = readToken(this.endpoint.tokenFile);
      if (token === null) return resolve(null);
      const socket = connect(this.endpoint.socket, () => socket.write(`${token}\n`));
      const giveUp = () => resolve(null);
      socket.once('error', giveUp).once('close', giveUp);
      // The server sends a greeting if the token is right, and then nothing until it gets a message.
      socket.once('data', () => {
        socket.off('error', giveUp).off('close', giveUp);
        resolve(socket);
      });
    });
  }
}

function readToken(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
