// The files with which the windows of a user find their shared server:
//
//   hearth-1000/         in XDG_RUNTIME_DIR, the system's temporary folder or the extension's storage; for its owner alone
//     NAME/              the folder of the running server; NAME is a hash of the storage folder and Hearth's version
//       ID.sock          its socket (on Windows a named pipe, which is not in a folder)
//       ID.json          its process id, and the words with which client and server prove that they can read this file
//     NAME.ID/           the folder of a server that is about to start
//     NAME.ID.log        a server's standard error; beside it NAME.ID.log.killed, once a window has killed the server
//
// A server that listens renames its folder from NAME.ID to NAME. This succeeds only while NAME is free or empty, so if
// several servers start at once, only one is found. A killed server leaves its files behind, and the next server
// deletes them. Their names have the killed server's id, so the files of another new server are never deleted by
// mistake.
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import {
  isPrivate,
  isSocketPathTooLong,
  isWindows,
  makePrivate,
  meetingFolders,
  ownFolderName,
  removeIfEmpty,
  socketPath,
  takeFolderName,
} from './system.ts';

/** The exit code of a server that cannot be announced here: EX_CANTCREAT of sysexits.h. */
export const cannotAnnounceCode = 73;
/** A folder that was prepared longer ago than this belongs to a server that did not start or has ended. */
const abandonedMs = 60_000;
/** How often the files are touched: some systems delete files that nobody has touched for days. */
const touchIntervalMs = 3_600_000;

/** The running server's description of itself. */
export interface Announcement {
  id: string;
  pid: number;
  /** The start time of the process: a later process may get the same id. '' if the system does not say. */
  startTime: string;
  clientWord: string;
  serverWord: string;
  /** The file with its standard error. */
  logFile: string;
}

/** The places where windows with this storage folder and version look for a server, best first. */
export function endpointsFor(storageFolder: string, version: string): Endpoint[] {
  const name = createHash('sha256').update(`${storageFolder}\n${version}`).digest('hex').slice(0, 16);
  return [...meetingFolders(), storageFolder]
    .map((folder) => new Endpoint(join(folder, ownFolderName()), name))
    .filter((endpoint) => !isSocketPathTooLong(endpoint.longestPath));
}

export class Endpoint {
  private readonly home: string;

  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {
    this.home = join(folder, name);
  }

  /** The endpoint of a prepared folder, and that folder's id. */
  static ofPrepared(path: string): { endpoint: Endpoint; id: string } {
    const [name = '', id = ''] = basename(path).split('.');
    return { endpoint: new Endpoint(dirname(path), name), id };
  }

  get longestPath(): string {
    return this.preparedSocket(newId());
  }

  /** The path of the socket of an announced server. */
  socketOf(id: string): string {
    return socketPath(this.home, this.name, id);
  }

  preparedFolder(id: string): string {
    return `${this.home}.${id}`;
  }

  /** The path of the socket of a server that is not announced yet. */
  preparedSocket(id: string): string {
    return socketPath(this.preparedFolder(id), this.name, id);
  }

  /**
   * The announced server, which may be dead by now; null if there is none, or if another user may have made its files.
   */
  announced(): Announcement | null {
    try {
      if (!isPrivate(this.folder, 'folder') || !isPrivate(this.home, 'folder')) return null;
      const file = readdirSync(this.home).find((each) => each.endsWith('.json')) ?? '';
      const id = basename(file, '.json');
      if (!isPrivate(join(this.home, file), 'file')) return null;
      if (!isPrivate(this.socketOf(id), 'socket')) return null;
      return asAnnouncement(id, JSON.parse(readFileSync(join(this.home, file), 'utf8')));
    } catch {
      return null; // the file is missing, or is just being replaced
    }
  }

  /**
   * Makes the folder for a server that is about to start, and returns the server's id. Throws if that is impossible.
   */
  prepare(): string {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    makePrivate(this.folder);
    const id = newId();
    mkdirSync(this.preparedFolder(id), { mode: 0o700 });
    return id;
  }

  /** Opens a new file for a server's standard error. */
  openLog(id: string): { logFile: string; log: number } {
    const logFile = `${this.preparedFolder(id)}.log`;
    return { logFile, log: openSync(logFile, 'ax', 0o600) };
  }

  /** Announces a listening server. Resolves to false if another one is announced and listens. */
  async announce({ id, ...content }: Announcement): Promise<boolean> {
    const prepared = this.preparedFolder(id);
    if (!isWindows) chmodSync(this.preparedSocket(id), 0o600);
    writeFileSync(join(prepared, `${id}.json`), JSON.stringify(content), { mode: 0o600 });
    while (!takeFolderName(prepared, this.home)) if (!(await this.deleteDead())) return false;
    this.sweep(id); // only now is it certain that no other living server writes its log here
    return true;
  }

  /** Whether the announcement still exists: temporary folders are cleaned now and then. Also touches its files. */
  isAnnounced(id: string): boolean {
    try {
      const files = [join(this.home, `${id}.json`), ...(isWindows ? [] : [this.socketOf(id)])];
      const times = files.map((file) => lstatSync(file).mtimeMs);
      const now = new Date();
      if (times.some((time) => Math.abs(now.getTime() - time) > touchIntervalMs))
        for (const file of [this.folder, this.home, ...files]) utimesSync(file, now, now);
      return true;
    } catch {
      return false;
    }
  }

  /** Deletes the files of a server, prepared or announced. */
  withdraw(id: string): void {
    rmSync(this.preparedFolder(id), { recursive: true, force: true });
    for (const file of [`${id}.json`, `${id}.sock`]) rmSync(join(this.home, file), { force: true });
    removeIfEmpty(this.home);
  }

  /** Deletes the files of killed servers. Resolves to false, and deletes nothing, if a server listens. */
  private async deleteDead(): Promise<boolean> {
    let files: string[] = [];
    tryTo(() => {
      files = readdirSync(this.home);
    });
    const ids = new Set(files.map((file) => file.slice(0, file.lastIndexOf('.'))));
    for (const id of ids) if (await listens(this.socketOf(id))) return false;
    for (const file of files) rmSync(join(this.home, file), { recursive: true, force: true });
    return true;
  }

  /** Deletes old files of servers that were never announced, or that ended without deleting their log. */
  private sweep(id: string): void {
    for (const each of readdirSync(this.folder)) {
      if (!each.startsWith(`${this.name}.`) || each.startsWith(`${this.name}.${id}`)) continue;
      const path = join(this.folder, each);
      tryTo(() => {
        if (Date.now() - lstatSync(path).mtimeMs > abandonedMs) rmSync(path, { recursive: true, force: true });
      });
    }
  }
}

function newId(): string {
  return randomBytes(4).toString('hex');
}

function asAnnouncement(id: string, content: Partial<Record<keyof Announcement, unknown>>): Announcement | null {
  const { pid, startTime, clientWord, serverWord, logFile } = content;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2) return null;
  if (typeof startTime !== 'string' || typeof logFile !== 'string') return null;
  if (typeof clientWord !== 'string' || typeof serverWord !== 'string') return null;
  return { id, pid, startTime, clientWord, serverWord, logFile };
}

/**
 * Whether a process listens on the socket. True if in doubt, so that the files of a living server are never deleted.
 */
function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isLive: boolean) => {
      socket.destroy();
      resolve(isLive);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      answer(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)),
    );
  });
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // Another process has deleted it, or a later attempt will.
  }
}
