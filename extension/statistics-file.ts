// Where the statistics are kept. Each window writes a file of its own, so that no two windows ever write the same one, and
// the statistics are the sum of all files. A window takes over the file of a window that has ended, if there is one:
// there are never more files than there were windows at a time.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { add, type Increment, merge, parse, type Statistics, serialize } from './statistics.ts';

const writeDelayMs = 30_000;

export class StatisticsFile {
  /** Not yet written. */
  private pending: Statistics = new Map();
  private path: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly warnings = new Set<string>();

  /** Nothing is read or written before something has been counted. */
  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  add(time: Date, languageId: string, increment: Increment): void {
    add(this.pending, time, languageId, increment);
    this.timer ??= setTimeout(() => this.flush(), writeDelayMs).unref();
  }

  /** Of all windows, as far as their files can be read. */
  all(): Statistics {
    const all: Statistics = new Map();
    for (const name of this.names()) merge(all, this.read(join(this.folder, name)) ?? new Map());
    merge(all, this.pending);
    return all;
  }

  /** Other windows notice that their files are gone. Throws if a file cannot be deleted. */
  reset(): void {
    this.pending.clear();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What cannot be written now is kept for the next time. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.size === 0) return;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      this.path ??= this.takeOver() ?? this.newPath();
      let kept = this.read(this.path);
      if (kept === null) {
        this.path = this.newPath();
        kept = new Map();
      }
      merge(kept, this.pending);
      // Readers see the old file or the new one, never a part of it.
      const temporary = `${this.path}.tmp`;
      writeFileSync(temporary, serialize(kept, new Date()), { mode: 0o600 });
      renameSync(temporary, this.path);
      this.pending.clear();
    } catch (error) {
      this.warnOnce(`The statistics could not be saved: ${messageOf(error)}`);
    }
  }

  dispose(): void {
    this.flush();
    clearTimeout(this.timer);
  }

  private newPath(): string {
    return join(this.folder, `${process.pid}-${randomUUID()}.json`);
  }

  private takeOver(): string | null {
    for (const name of this.names()) {
      const left = join(this.folder, name);
      if (isRunning(Number.parseInt(name, 10)) || this.read(left) === null) continue;
      const path = this.newPath();
      try {
        renameSync(left, path);
        return path;
      } catch {
        // Another window was quicker.
      }
    }
    return null;
  }

  private names(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => /^\d+-.*\.json$/.test(name));
    } catch (error) {
      if (!isMissing(error)) this.warnOnce(`The statistics could not be read: ${messageOf(error)}`);
      return [];
    }
  }

  /** Null if the file is damaged or cannot be read: it is left as it is. A file that is gone was reset or taken over. */
  private read(path: string): Statistics | null {
    try {
      return parse(readFileSync(path, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return new Map();
      this.warnOnce(`The statistics in ${path} could not be read: ${messageOf(error)}`);
      return null;
    }
  }

  private warnOnce(message: string): void {
    if (this.warnings.has(message)) return;
    this.warnings.add(message);
    this.warn(message);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
