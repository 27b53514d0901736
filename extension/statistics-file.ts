// The files of the statistics. Each window writes its own file, so that no two windows write the same one; the
// statistics are the sum of all files. A new window takes over the file of a window that has ended, so there are never
// more files than there have been windows at one time.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { add, type Increment, merge, parse, type Statistics, serialize } from './statistics.ts';

const writeDelayMs = 30_000;

export class StatisticsFile {
  /** Counted but not yet written. */
  private pending: Statistics = new Map();
  private path: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly warnings = new Set<string>();

  /** Touches no file until something has been counted. */
  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  add(time: Date, languageId: string, increment: Increment): void {
    add(this.pending, time, languageId, increment);
    this.timer ??= setTimeout(() => this.flush(), writeDelayMs).unref();
  }

  /** The statistics of all windows; files that cannot be read are skipped. */
  all(): Statistics {
    const all: Statistics = new Map();
    for (const name of this.names()) merge(all, this.read(join(this.folder, name)) ?? new Map());
    merge(all, this.pending);
    return all;
  }

  /** Deletes the files of all windows; the others notice. Throws if a file cannot be deleted. */
  reset(): void {
    this.pending.clear();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** If writing fails, the counts are kept for the next attempt. */
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
      // Renamed when complete, so that readers never see part of a file.
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
        // Another window has taken it over first.
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

  /** Null if the file is damaged or unreadable; it is then left alone. A missing file was reset or taken over. */
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
