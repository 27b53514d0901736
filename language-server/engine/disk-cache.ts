// The folder in which the engine stores its pages between two runs. The engine reads and writes them; this file deletes
// them when the user turns the disk cache off, because they reveal the text of documents.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, type Log } from '../protocol/log.ts';

/** A folder that is used for nothing else; '' if the client has no storage folder. */
export function pagesFolderIn(storageFolder: string | undefined): string {
  return storageFolder === undefined || storageFolder === '' ? '' : join(storageFolder, 'pages');
}

export async function wipe(pagesFolder: string, log: Log): Promise<void> {
  if (pagesFolder === '') return;
  try {
    await rm(pagesFolder, { recursive: true, force: true });
  } catch (error) {
    log.error(`cannot delete ${pagesFolder}, which holds pages of the cache: ${errorText(error)}`);
  }
}
