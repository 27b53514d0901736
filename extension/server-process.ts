// One language server for all windows: connects to the one that another window has started, or starts it. It is a child
// of this window: when the window goes the server goes, and the other windows start the next one.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that another window is just starting, or that has not yet written its token, gets this long. */
const patienceMs = 10_000;
const retryMs = 50;
/** The connection may be seen to close before the process is seen to end. */
const exitNoticeMs = 500;

export interface Endpoint {
  /** A Unix socket in a folder of the user's own, or a named pipe. */
  socket: string;
  tokenFile: string;
}

/** Windows that share their storage folder and their version of Hearth share a server. */
export function endpointFor(storageFolder: string, version: string): Endpoint {
  const name = createHash('sha256').update(`${storageFolder}\n${version}`).digest('hex').slice(0, 16);
  if (process.platform === 'win32') {
    mkdirSync(storageFolder, { recursive: true });
    return { socket: `\\\\.\\pipe\\hearth-${name}`, tokenFile: join(storageFolder, 'server.token') };
  }
  // Not in the storage folder: the path of a socket may have 100 characters or so.
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
    /** Gets what the process writes to its standard error: the last words of a crash. */
    private readonly onOutput: (text: string) => void,
  ) {}

  /** Whether this window has started the server and it still runs. */
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

  /** How the server has ended, for people: "exit code 3", "signal SIGKILL". Only the window that started it knows. */
  async ending(): Promise<string> {
    if (this.child) await Promise.race([once(this.child, 'exit'), sleep(exitNoticeMs)]);
    return this.lastEnding;
  }

  /** Resolves when the process listens, or has ended because another window's was faster. */
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

  /** Null when nobody listens, or does not know the token that we found. */
  private tryConnect(): Promise<Socket | null> {
    return new Promise((resolve) => {
      const token = readToken(this.endpoint.tokenFile);
      if (token === null) return resolve(null);
      const socket = connect(this.endpoint.socket, () => socket.write(`${token}\n`));
      const giveUp = () => resolve(null);
      socket.once('error', giveUp).once('close', giveUp);
      // The server greets whoever knows the token, and then says nothing until it is spoken to.
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
