// Where the windows of one user find the server that they share, and the server says where it is:
//
//   hearth-1000/         in XDG_RUNTIME_DIR, the system's temporary folder or the extension's storage; for its owner alone
//     NAME/              of the server that runs; NAME stands for a storage folder and a version of Hearth
//       ID.sock          its socket (on Windows a named pipe, which is not in a folder)
//       ID.json          its process, and what client and server say first, to prove that they could read this file
//     NAME.ID/           of a server that is about to start
//     NAME.ID.log        what a server writes to standard error; beside it NAME.ID.log.killed, once a window has killed it
//
// A server that listens renames its folder from NAME.ID to NAME. That succeeds only while NAME is free or empty, so of
// several servers that start at once, one is found. A server that was killed leaves its files behind. The next one
// deletes them by their names, which no other server uses, so it cannot delete those of one that was faster.
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
/** What was prepared longer ago than this belongs to a server that did not start or has ended. */
const abandonedMs = 60_000;
/** Files that were not touched for days are deleted by some systems. */
const touchedMs = 3_600_000;

/** What the server that runs says about itself. */
export interface Announcement {
  id: string;
  pid: number;
  /** When the process was started, since another one may have its number later; '' if the system does not tell. */
  startTime: string;
  clientWord: string;
  serverWord: string;
  /** The file with what it writes to standard error. */
  logFile: string;
}

/** The places at which the windows with this storage folder and this version look for a server, the best first. */
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

  /** The socket of a server that is announced. */
  socketOf(id: string): string {
    return socketPath(this.home, this.name, id);
  }

  preparedFolder(id: string): string {
    return `${this.home}.${id}`;
  }

  /** The socket of a server that is not announced yet. */
  preparedSocket(id: string): string {
    return socketPath(this.preparedFolder(id), this.name, id);
  }

  /** The server that is announced, perhaps one that was killed; null if there is none that only this user can have made. */
  announced(): Announcement | null {
    try {
      if (!isPrivate(this.folder, 'folder') || !isPrivate(this.home, 'folder')) return null;
      const file = readdirSync(this.home).find((each) => each.endsWith('.json')) ?? '';
      const id = basename(file, '.json');
      if (!isPrivate(join(this.home, file), 'file')) return null;
      if (!isPrivate(this.socketOf(id), 'socket')) return null;
      return asAnnouncement(id, JSON.parse(readFileSync(join(this.home, file), 'utf8')));
    } catch {
      return null; // not there, or replaced in this moment
    }
  }

  /** Makes the folder for a server that is about to start, and returns its id. Throws if this user cannot have one here. */
  prepare(): string {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    makePrivate(this.folder);
    const id = newId();
    mkdirSync(this.preparedFolder(id), { mode: 0o700 });
    return id;
  }

  /** Opens a new file for what a server writes to standard error. */
  openLog(id: string): { logFile: string; log: number } {
    const logFile = `${this.preparedFolder(id)}.log`;
    return { logFile, log: openSync(logFile, 'ax', 0o600) };
  }

  /** Announces a server, which must listen already. Resolves to false if there is another one. */
  async announce({ id, ...content }: Announcement): Promise<boolean> {
    const prepared = this.preparedFolder(id);
    if (!isWindows) chmodSync(this.preparedSocket(id), 0o600);
    writeFileSync(join(prepared, `${id}.json`), JSON.stringify(content), { mode: 0o600 });
    while (!takeFolderName(prepared, this.home)) if (!(await this.deleteDead())) return false;
    this.sweep(id); // only now, when no other server can be alive that writes its log here
    return true;
  }

  /** Whether the announcement is still there; cleaners of temporary folders may have deleted it. */
  isAnnounced(id: string): boolean {
    try {
      const files = [join(this.home, `${id}.json`), ...(isWindows ? [] : [this.socketOf(id)])];
      const times = files.map((file) => lstatSync(file).mtimeMs);
      const now = new Date();
      if (times.some((time) => Math.abs(now.getTime() - time) > touchedMs))
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

  /** Deletes what killed servers have left. Resolves to false, and deletes nothing, if a server listens. */
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

  /** Deletes what is left of servers that were not announced or have ended without deleting their log. */
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

/** Whether a process listens on the socket. In doubt it does, so that nothing of a living server is deleted. */
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
    // Somebody else has done it, or it will be tried again.
  }
}
