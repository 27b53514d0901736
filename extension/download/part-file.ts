// An unfinished download: NAME.part has its bytes, and NAME.part.json says where they come from. Call finish() once the
// bytes are complete and verified: it flushes the file to disk and renames it.
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../language-server/protocol/system.ts';

/** The source of a part file's bytes. */
export interface Origin {
  url: string;
  /** The server's strong ETag; null if it sent none. */
  etag: string | null;
  totalBytes: number | null;
}

export class PartFile {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    /** Null before the first bytes. */
    public origin: Origin | null,
    /** The number of bytes received so far. */
    public length: number,
  ) {}

  /** Continues an earlier download of the same URL if there is one. */
  static async open(path: string, url: string): Promise<PartFile> {
    const origin = await readOrigin(sidecarOf(path), url);
    const file = await open(partOf(path), writeFlags);
    if (!origin) await file.truncate(0);
    return new PartFile(path, file, origin, (await file.stat()).size);
  }

  /** Discards the received bytes. origin: where the next ones come from. */
  async restart(origin: Origin): Promise<void> {
    await this.file.truncate(0);
    this.length = 0;
    this.origin = origin;
    await writeFile(sidecarOf(this.path), JSON.stringify(origin));
  }

  /**
   * Writes bytes to their offset in this download rather than to the end of the file. So if another window has taken
   * the download over, both windows write the same bytes to the same place.
   */
  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, this.length);
      this.length += bytesWritten;
      done += bytesWritten;
    }
  }

  /** The SHA-256 digest of the file on the disk. */
  async digest(): Promise<string> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(partOf(this.path)), hash);
    return hash.digest('hex');
  }

  /** The length of the file on the disk, in bytes. */
  async size(): Promise<number> {
    return (await this.file.stat()).size;
  }

  async finish(): Promise<void> {
    await this.file.sync();
    await this.file.close();
    await rename(partOf(this.path), this.path);
    await syncFolder(dirname(this.path));
    await rm(sidecarOf(this.path), { force: true });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/** Deletes the files of an unfinished download. */
export async function discardPart(path: string): Promise<void> {
  await rm(partOf(path), { force: true });
  await rm(sidecarOf(path), { force: true });
}

/** O_NOFOLLOW: a link, which could lead to one of the user's files, is not opened. Windows does not have this flag. */
const writeFlags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

const partOf = (path: string) => `${path}.part`;
const sidecarOf = (path: string) => `${path}.part.json`;

async function readOrigin(sidecar: string, url: string): Promise<Origin | null> {
  try {
    const origin = JSON.parse(await readFile(sidecar, 'utf8')) as Origin;
    return origin.url === url ? origin : null;
  } catch {
    return null;
  }
}
