// Downloads a model's files one after another and reports their progress as one download.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteFile } from '../../language-server/protocol/models.ts';
import { type DownloadOptions, download } from './download.ts';
import { type Progress, SpeedMeter } from './progress.ts';

export interface DownloadAllOptions extends Omit<DownloadOptions, 'onProgress' | 'laterBytes'> {
  /** The length of all files together, from which the length of a file is estimated if it is not known. */
  modelBytes?: number;
  onProgress?: (progress: Progress) => void;
}

/** Resolves to the path of the first file; the engine finds the other parts beside it. */
export async function downloadAll(files: RemoteFile[], folder: string, options: DownloadAllOptions): Promise<string> {
  const meter = new SpeedMeter();
  const paths: string[] = [];
  // If the list does not give the length of a file, the server does.
  const totals = files.map(({ bytes }) => bytes);
  let doneBytes = 0;
  for (const [i, file] of files.entries()) {
    const onProgress = (receivedBytes: number, totalBytes: number | null) => {
      totals[i] = totalBytes;
      meter.add(doneBytes + receivedBytes, performance.now());
      const allBytes = totals.reduce((sum, bytes) => (sum === null || bytes === null ? null : sum + bytes), 0);
      const { bytesPerSecond } = meter;
      options.onProgress?.({ receivedBytes: doneBytes + receivedBytes, totalBytes: allBytes, bytesPerSecond });
    };
    const later = files
      .slice(i + 1)
      .map((each) => missingBytes(each, folder, (options.modelBytes ?? 0) / files.length));
    const laterBytes = (await Promise.all(later)).reduce((sum, bytes) => sum + bytes, 0);
    const path = await download(file, folder, { ...options, laterBytes, onProgress });
    paths.push(path);
    doneBytes += (await stat(path)).size;
  }
  return paths[0] ?? '';
}

async function missingBytes({ name, bytes }: RemoteFile, folder: string, usualBytes: number): Promise<number> {
  const isThere = await stat(join(folder, name)).catch(() => undefined);
  return isThere ? 0 : (bytes ?? usualBytes);
}
