// The differences between operating systems for the code in TypeScript: the place where processes of a user meet, the
// owner of a file, facts about a process. The room system/ is the same for C++.
import { chmodSync, existsSync, lstatSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

export const isWindows = process.platform === 'win32';
/** Every system allows Unix sockets with paths of this length. Named pipes on Windows have no such limit. */
const maxSocketPathBytes = 103;

/** The path of a socket in a folder; on Windows, the name of a named pipe, which is in no folder. */
export function socketPath(folder: string, name: string, id: string): string {
  return isWindows ? `\\\\.\\pipe\\hearth-${name}-${id}` : join(folder, `${id}.sock`);
}

export function isSocketPathTooLong(path: string): boolean {
  return !isWindows && Buffer.byteLength(path) > maxSocketPathBytes;
}

/**
 * Shared folders in which all windows of a user can meet, best first. None on Windows, where only the user's profile is
 * private.
 */
export function meetingFolders(): string[] {
  if (isWindows) return [];
  const runtime = process.env.XDG_RUNTIME_DIR ?? '';
  // After `su`, the variable still names the folder of the other user.
  return [...(isPrivate(runtime, 'folder') ? [runtime] : []), tmpdir()].filter(existsSync);
}

/** The name of a folder for this user, in a folder that other users may share. */
export function ownFolderName(): string {
  return isWindows ? 'server' : `hearth-${process.getuid?.()}`;
}

/**
 * Whether the path is of this kind, and only this user or root can have made it. On Windows, everything in the user's
 * profile has the profile's access rights, and sockets are not files.
 */
export function isPrivate(path: string, kind: 'folder' | 'file' | 'socket'): boolean {
  if (isWindows && kind === 'socket') return true;
  try {
    const found = lstatSync(path);
    const isKind = { folder: found.isDirectory(), file: found.isFile(), socket: found.isSocket() }[kind];
    return isKind && (isWindows || (found.uid === process.getuid?.() && (found.mode & 0o077) === 0));
  } catch {
    return false;
  }
}

/** Denies other users access to a folder of this user. Throws if it belongs to another user. */
export function makePrivate(folder: string): void {
  if (isWindows || isPrivate(folder, 'folder')) return;
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === process.getuid?.()) chmodSync(folder, 0o700);
  if (!isPrivate(folder, 'folder')) throw new Error(`${folder} belongs to another user or is not a folder.`);
}

/** Renames a folder. Returns false if a folder with the new name exists and is not empty. */
export function takeFolderName(folder: string, name: string): boolean {
  try {
    if (isWindows) removeIfEmpty(name); // on other systems, renaming replaces an empty folder
    renameSync(folder, name);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTEMPTY', 'EEXIST', ...(isWindows ? ['EPERM'] : [])].includes(code)) return false;
    throw error;
  }
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty, or another process has removed it.
  }
}

/** The user's home folder; '' in a container if the user has neither HOME nor an entry in the list of users. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** A path as people write it, with "~" replaced by the home folder; unchanged if there is none. */
export function withoutTilde(path: string): string {
  const home = homeFolder();
  return home === '' ? path : path.replace(/^~(?=[/\\])/, () => home);
}

/** Why a path that begins with "~" cannot be used: the end of a sentence that names the path. */
export const noHomeText = 'this user has no home folder. Give its whole path, or set HOME.';

/** The path of an administrator's file with settings that users cannot change. */
export function managedPath(): string {
  if (isWindows) return `${process.env.ProgramFiles ?? 'C:\\Program Files'}\\Hearth\\settings.json`;
  if (process.platform === 'darwin') return '/Library/Application Support/Hearth/settings.json';
  return '/etc/hearth/settings.json';
}

/** The start time of a process, in the system's own unit; '' if the system does not say. */
export function startTimeOf(pid: number): string {
  try {
    // The second field is the program's name, which may contain spaces and parentheses.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
}

/** Makes a new name in a folder survive a power failure. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
