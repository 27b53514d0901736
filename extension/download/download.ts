// Downloads a file: continues an earlier attempt, retries after temporary errors, and gives the file its final name
// only once it is verified. Requests use the global fetch, because VS Code patches it to use the user's proxy settings
// and certificates. A bundled copy of undici would bypass these.
import { mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { l10n } from 'vscode';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import { addressOf } from './address.ts';
import { DownloadError, diskError, errorFrom } from './errors.ts';
import { type Lock, takeLock } from './lock.ts';
import { discardPart, PartFile } from './part-file.ts';
import { hasLength, type MinSpeed, receive } from './receive.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  onProgress?: (receivedBytes: number, totalBytes: number) => void;
  /** Called while another window is downloading the same file. */
  onWait?: () => void;
  /** The base URL of a mirror; see address.ts. */
  mirror?: string;
  freeBytes?: (folder: string) => Promise<number>;
  pace?: Pace;
}

export interface Pace extends MinSpeed {
  /** The pause before the second attempt. It doubles for each further attempt. */
  retryMs: number;
  /** Gives up after this many successive attempts that together received less than minBytes. */
  maxFailures: number;
}

const defaultPace: Pace = { minBytes: 2 ** 18, periodMs: 30_000, retryMs: 1000, maxFailures: 5 };
/** If a server asks for a longer pause, the download fails, and the user can retry later. */
const maxPauseMs = 60_000;

/** Resolves to the file's path. If aborted, rejects with the signal's reason and keeps the bytes received so far. */
export async function download(file: RemoteFile, folder: string, options: DownloadOptions): Promise<string> {
  const path = join(folder, file.name);
  try {
    await mkdir(folder, { recursive: true });
    while (!(await exists(path))) await completeWithLock(file, folder, path, options);
    return path;
  } catch (error) {
    throw diskError(error) ?? error;
  }
}

/** Deletes the part file of a paused download, unless another window continues the download. */
export async function discard({ name }: RemoteFile, folder: string): Promise<void> {
  const path = join(folder, name);
  if (!(await exists(lockOf(path)))) await discardPart(path);
}

const lockOf = (path: string) => `${path}.lock`;

/**
 * Takes the lock and downloads the file. Returns without the file if another window has taken over the lock, because
 * this window seemed to have ended.
 */
async function completeWithLock(
  file: RemoteFile,
  folder: string,
  path: string,
  options: DownloadOptions,
): Promise<void> {
  const lock = await takeLock(lockOf(path), options.signal, options.onWait);
  try {
    if (await exists(path)) return;
    await complete(file, folder, path, lock, { ...options, signal: AbortSignal.any([options.signal, lock.lost]) });
  } catch (error) {
    if (options.signal.aborted || (await lock.check())) throw error;
  } finally {
    await lock.release();
  }
}

async function complete(
  file: RemoteFile,
  folder: string,
  path: string,
  lock: Lock,
  options: DownloadOptions,
): Promise<void> {
  const part = await PartFile.open(path, file.url);
  try {
    await receiveAll(file, part, folder, options);
    if (!(await lock.check())) return;
    await verify(file, part, path);
    await part.finish();
  } finally {
    await part.close();
  }
}

async function receiveAll(file: RemoteFile, part: PartFile, folder: string, options: DownloadOptions): Promise<void> {
  const { signal, mirror, onProgress = () => undefined, pace = defaultPace } = options;
  const address = addressOf(file.url, mirror);
  const freeBytes = () => (options.freeBytes ?? availableBytes)(folder);
  // Progress means more bytes than ever before. A download that starts again and breaks off at the same byte makes
  // none.
  let bestLength = part.length;
  for (let failures = 0; part.length !== part.origin?.totalBytes; ) {
    try {
      return await receive(file, part, { address, signal, speed: pace, freeBytes, onProgress });
    } catch (error) {
      signal.throwIfAborted();
      const problem = errorFrom(error, address.host);
      const hasProgress = part.length >= bestLength + pace.minBytes;
      failures = hasProgress ? 0 : failures + 1;
      if (hasProgress) bestLength = part.length;
      const pauseMs = problem.retryAfterMs ?? pace.retryMs * 2 ** Math.max(0, failures - 1);
      if (!problem.isTemporary || failures >= pace.maxFailures || pauseMs > maxPauseMs) throw problem;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

async function verify(file: RemoteFile, part: PartFile, path: string): Promise<void> {
  const size = await part.size();
  const isWhole = size === (part.origin?.totalBytes ?? part.length) && hasLength(file, size);
  if (isWhole && (file.sha256 === null || (await part.digest()) === file.sha256)) return;
  await discardPart(path);
  throw new DownloadError(
    l10n.t(
      '{0} is damaged or another file: its length or SHA-256 digest is wrong. The download was deleted. Try again, or use another mirror.',
      file.name,
    ),
  );
}

async function availableBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
