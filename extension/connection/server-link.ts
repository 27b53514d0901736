// Links to a server's process: over a socket if all windows share the server, or over the pipes of a child process that
// serves only this window.
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Announcement } from '../../language-server/protocol/endpoint.ts';
import { startTimeOf } from '../../language-server/protocol/system.ts';
import type { Fault, Link } from './connection.ts';

/** A link with a stream of incoming messages and a stream for outgoing ones. */
export interface ProcessLink extends Link {
  readonly pid: number | undefined;
  /** Whether other windows can use the process, too. */
  readonly isShared: boolean;
  readonly reader: Readable;
  readonly writer: Writable;
}

export class SharedLink implements ProcessLink {
  readonly isShared = true;
  readonly closed: Promise<void>;

  constructor(
    private readonly socket: Socket,
    private readonly announced: Announcement,
    readonly isNew: boolean,
    readonly fault: () => Promise<Fault>,
  ) {
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  get pid(): number {
    return this.announced.pid;
  }

  get reader(): Readable {
    return this.socket;
  }

  get writer(): Writable {
    return this.socket;
  }

  /** Each side proves that it knows its word from the announcement, which only this user can read. */
  greet(): Promise<boolean> {
    const expected = `${this.announced.serverWord}\n`;
    this.socket.write(`${this.announced.clientWord}\n`);
    return new Promise((resolve) => {
      this.socket.once('close', () => resolve(false));
      let received = '';
      const onData = (data: Buffer) => {
        received += data.toString('latin1');
        if (received.length < expected.length) return;
        // The server says nothing more until it gets a message.
        this.socket.off('data', onData);
        resolve(received === expected);
      };
      this.socket.on('data', onData);
    });
  }

  onData(listener: () => void): void {
    this.socket.on('data', listener);
  }

  /**
   * Kills the process and leaves a note for the other windows. No other process may be killed by mistake: the socket is
   * still open, so the server still exists, and the process with its id has the announced start time.
   */
  kill(): void {
    const { pid, startTime, logFile } = this.announced;
    if (this.socket.destroyed || startTimeOf(pid) !== startTime) return;
    try {
      writeFileSync(killNote(logFile), '');
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }

  close(): void {
    this.socket.destroy();
  }
}

/** A link to a server for this window alone, which ends with the link. */
export class PrivateLink implements ProcessLink {
  readonly isShared = false;
  readonly isNew = true;
  readonly closed: Promise<void>;
  private how = 'unknown';

  constructor(
    private readonly child: ChildProcess,
    readonly reader: Readable,
    readonly writer: Writable,
  ) {
    writer.on('error', () => this.kill());
    this.closed = new Promise((resolve) => {
      child.once('error', (error) => {
        this.how = error.message;
        resolve();
      });
      child.once('exit', (code, signal) => {
        this.how = exitText(code, signal);
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  greet(): Promise<boolean> {
    return Promise.resolve(true);
  }

  onData(listener: () => void): void {
    this.reader.on('data', listener);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  close(): void {
    this.kill();
  }

  fault(): Promise<Fault> {
    return Promise.resolve({ kind: 'crashed', how: this.how });
  }
}

/** The file that says that a window has killed the server with this log. */
export const killNote = (logFile: string) => `${logFile}.killed`;

export function exitText(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
