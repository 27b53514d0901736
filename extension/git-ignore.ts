// Asks git whether it ignores a file. Only in workspaces that are trusted: a repository's configuration can start programs.
import { execFile } from 'node:child_process';

const notIgnored = 1;
const noRepository = 128;

/** Without git, or outside a repository, nothing is ignored; where git does not answer, everything is. */
export function isIgnoredByGit(folder: string, file: string): Promise<boolean> {
  // Not started in the folder: Windows would look for git there first.
  const args = ['-C', folder, 'check-ignore', '--quiet', '--', file];
  return new Promise((resolve) => {
    execFile('git', args, { timeout: 2000 }, (error) =>
      resolve(![notIgnored, noRepository, 'ENOENT'].includes(error?.code ?? 0)),
    );
  });
}
