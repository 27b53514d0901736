// Finds or starts the server's process, which all windows of a user share. The process belongs to no window: it ends by
// itself a few seconds after the last window has left it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import {
  type Announcement,
  cannotAnnounceCode,
  type Endpoint,
  endpointsFor,
} from '../../language-server/protocol/endpoint.ts';
import type { Fault } from './connection.ts';
import { exitText, killNote, PrivateLink, type ProcessLink, SharedLink } from './server-link.ts';
import { within } from './timeout.ts';

/** How long to wait for the exit event of the process: it may come after the connection has closed. */
const exitNoticeMs = 2000;

export interface LauncherOptions {
  /** The path of the server's program. */
  module: string;
  storageFolder: string;
  version: string;
  /** Called with the text that a server has written to standard error, such as the message of a crash. */
  onOutput: (text: string) => void;
}

export class ServerLauncher {
  private readonly endpoints: Endpoint[];
  /** The process that this window started last. */
  private child: ChildProcess | null = null;
  /** Resolves to the exit code or signal of that process, in words. */
  private exited: Promise<string> = new Promise(() => {});

  constructor(private readonly options: LauncherOptions) {
    this.endpoints = endpointsFor(options.storageFolder, options.version);
  }

  /** Connects to the first server found; null if there is none. isNew: whether start() has just started one. */
  async find(isNew = false): Promise<ProcessLink | null> {
    for (const endpoint of this.endpoints) {
      const announced = endpoint.announced();
      const socket = announced && (await open(endpoint.socketOf(announced.id)));
      if (!announced || !socket) continue;
      const isOwn = this.child?.pid === announced.pid;
      return new SharedLink(socket, announced, isNew && isOwn, () => this.fault(announced, isOwn));
    }
    return null;
  }

  /** Starts a server at the first endpoint that can have one. If none can, starts one for this window alone. */
  async start(signal: AbortSignal): Promise<ProcessLink | null> {
    if (!existsSync(this.options.module)) throw new Error(`${this.options.module} is missing`);
    for (const endpoint of this.endpoints) if (await this.startAt(endpoint, signal)) return this.find(true);
    return this.startPrivate();
  }

  /**
   * Resolves to true when this endpoint has a server, perhaps another window's; to false if it cannot have a server.
   */
  private async startAt(endpoint: Endpoint, signal: AbortSignal): Promise<boolean> {
    let prepared: { id: string; logFile: string; log: number };
    try {
      const id = endpoint.prepare();
      prepared = { id, ...endpoint.openLog(id) };
    } catch {
      return false; // the folder is another user's, or nothing can be written there
    }
    const { id, logFile, log } = prepared;
    // Detached, the process survives when VS Code ends this window's processes.
    const child = fork(this.options.module, ['--endpoint', endpoint.preparedFolder(id), '--log', logFile], {
      execArgv: [],
      detached: true,
      stdio: ['ignore', 'ignore', log, 'ipc'],
    });
    closeSync(log);
    this.child = child;
    this.exited = once(child, 'exit').then(
      ([code, endSignal]) => exitText(code, endSignal),
      (error: unknown) => String(error),
    );
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    try {
      const how = await Promise.race([once(child, 'message').then(() => 'listening'), this.exited]);
      // A server ends with exit code 0 if another one was announced first.
      if (how === 'listening' || how === exitText(0, null)) return true;
      endpoint.withdraw(id);
      this.passOnOutput(logFile);
      if (how === exitText(cannotAnnounceCode, null)) return false;
      throw new Error(how);
    } finally {
      signal.removeEventListener('abort', kill);
      if (child.connected) child.disconnect();
      child.unref();
    }
  }

  private async startPrivate(): Promise<ProcessLink> {
    const child = fork(this.options.module, ['--stdio'], { execArgv: [], stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
    await once(child, 'spawn'); // rejects if the system starts no process
    if (child.stdin === null || child.stdout === null) throw new Error('a process could not be started');
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.options.onOutput(text.trimEnd()));
    return new PrivateLink(child, child.stdout, child.stdin);
  }

  private async fault({ logFile }: Announcement, isOwn: boolean): Promise<Fault> {
    this.passOnOutput(logFile);
    if (existsSync(killNote(logFile))) return { kind: 'hung', how: 'it was killed by a window' };
    const unknown = 'started by another window';
    const how = isOwn ? await within(exitNoticeMs, this.exited).catch(() => unknown) : unknown;
    return { kind: 'crashed', how };
  }

  /** Passes on the text that an ended process has written to standard error, unless another window has done so. */
  private passOnOutput(logFile: string): void {
    try {
      const text = readFileSync(logFile, 'utf8').trimEnd();
      rmSync(logFile);
      if (text !== '') this.options.onOutput(text);
    } catch {
      // Another window has read it.
    }
  }
}

/** Connects to a socket; null if no process listens there any more. */
function open(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.off('error', failed);
      resolve(socket);
    });
    const failed = (error: NodeJS.ErrnoException) =>
      ['ECONNREFUSED', 'ENOENT', 'ECONNRESET'].includes(error.code ?? '') ? resolve(null) : reject(error);
    socket.once('error', failed);
  });
}
