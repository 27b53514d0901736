// The folder in which the engine stores its pages between runs. Only the engine reads and writes pages; this file
// deletes them when the user turns the disk cache off, because they reveal the text of documents.
import { readdir, rm, rmdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { errorText, type Log } from '../protocol/log.ts';

/**
 * The folder for the engine's pages; '' if the client has no storage folder, or names one by a relative path, which
 * might be in the user's project.
 */
export function pagesFolderIn(storageFolder = ''): string {
  return isAbsolute(storageFolder) ? join(storageFolder, 'pages') : '';
}

/** The names that native/cache/page_store.cc gives to its files. */
const pageFile = /^[\da-f]{16}-[\da-f]{16}\.(?:pages|unfinished)$/;

/** Deletes the files that the engine has written, and the folder if it is empty then. */
export async function wipe(pagesFolder: string, log: Log): Promise<void> {
  if (pagesFolder === '') return;
  try {
    const names = await readdir(pagesFolder);
    const pages = names.filter((name) => pageFile.test(name));
    for (const name of pages) await rm(join(pagesFolder, name), { force: true });
    if (pages.length === names.length) await rmdir(pagesFolder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    log.error(`cannot delete ${pagesFolder}, which holds pages of the cache: ${errorText(error)}`);
  }
}
