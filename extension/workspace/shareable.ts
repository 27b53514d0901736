// Decides which files of the workspace may be sent to the server, and reads their text.
import { realpath, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { type Uri, workspace } from 'vscode';
import { hasSecretName } from '../../language-server/protocol/secret-names.ts';
import { isExcluded, isHidden } from '../settings/exclusions.ts';
import { ignoredByGit } from './git-ignore.ts';

/** Longer files are not sent, because the server would not use them. */
export const maxFileBytes = 64 * 1024;

/** The files in the workspace that are neither excluded nor ignored. If git cannot tell, a file counts as ignored. */
export async function shareable(uris: Uri[]): Promise<Uri[]> {
  const allowed = uris.filter(
    (uri) => uri.scheme === 'file' && !isExcluded(uri) && !isHidden(uri) && !hasSecretName(uri.toString()),
  );
  const byFolder = new Map<string, Uri[]>();
  for (const uri of allowed) {
    const folder = workspace.getWorkspaceFolder(uri)?.uri.fsPath;
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), uri]);
  }
  const kept = await Promise.all(
    [...byFolder].map(async ([folder, candidates]) => {
      const own = await filesInside(folder, candidates);
      const ignored = await ignoredByGit(
        folder,
        own.map(({ fsPath }) => fsPath),
      );
      return own.filter(({ fsPath }) => !ignored.has(fsPath));
    }),
  );
  return kept.flat();
}

/**
 * Drops pipes and devices, because reading them may never end, and links to files, because these may be anywhere or
 * have a name that must not be shared.
 */
async function filesInside(folder: string, uris: Uri[]): Promise<Uri[]> {
  const root = await realpath(folder).catch(() => folder);
  const isInside = async ({ fsPath }: Uri) =>
    relative(root, await realpath(fsPath)) === relative(folder, fsPath) && (await stat(fsPath)).isFile();
  const flags = await Promise.all(uris.map((uri) => isInside(uri).catch(() => false)));
  return uris.filter((_, i) => flags[i]);
}

/**
 * Reads a file without opening it as a document: every language server would load that. Null if the file is too long or
 * cannot be read.
 */
export async function textOnDisk(uri: Uri): Promise<string | null> {
  try {
    const { size } = await workspace.fs.stat(uri);
    return size <= maxFileBytes ? new TextDecoder().decode(await workspace.fs.readFile(uri)) : null;
  } catch {
    return null;
  }
}
