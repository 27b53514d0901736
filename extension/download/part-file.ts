// A file that is still coming: NAME.part, and beside it NAME.part.json with where its bytes come from. It gets its name
// once it is complete, verified and on disk.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface Origin {
  url: string;
  /** Of the server; null if it gave none that promises the same bytes. */
  etag: string | null;
  totalBytes: number | null;
}

export class PartFile {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    public origin: Origin | null,
    private hash: Hash,
    public length: number,
  ) {}

  /** Goes on with what an earlier download of this address left. */
  static async open(path: string, url: string): Promise<PartFile> {
    const origin = await readOrigin(sidecarOf(path), url);
    const file = await open(partOf(path), 'a');
    if (!origin) await file.truncate(0);
    const hash = createHash('sha256');
    if (origin) await pipeline(createReadStream(partOf(path)), hash, { end: false });
    return new PartFile(path, file, origin, hash, (await file.stat()).size);
  }

  async restart(origin: Origin): Promise<void> {
    await this.file.truncate(0);
    this.hash = createHash('sha256');
    this.length = 0;
    this.origin = origin;
    await writeFile(sidecarOf(this.path), JSON.stringify(origin));
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const rest = bytes.subarray(done);
      const { bytesWritten } = await this.file.write(rest);
      this.hash.update(rest.subarray(0, bytesWritten));
      this.length += bytesWritten;
      done += bytesWritten;
    }
  }

  digest(): string {
    return this.hash.copy().digest('hex');
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

/** Deletes what an unfinished download left. */
export async function discardPart(path: string): Promise<void> {
  await rm(partOf(path), { force: true });
  await rm(sidecarOf(path), { force: true });
}

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

/** So that the new name survives a power failure. Windows has no such call, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
