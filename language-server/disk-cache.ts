// Where the engine's pages lie between two runs of the server. The engine writes and reads them; here is decided that
// they go when they are no longer wanted: they say what was in the user's documents.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, type Log } from './log.ts';

/** A folder that nothing else uses; empty without storage. */
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
