// Asks git whether it ignores a file. Must only be used in trusted workspaces: a repository's configuration can start
// programs.
import { execFile } from 'node:child_process';

const notIgnored = 1;
const noRepository = 128;

/** False without git or outside a repository; true if git fails or takes too long. */
export function isIgnoredByGit(folder: string, file: string): Promise<boolean> {
  // Not with the folder as working directory: Windows would look for git.exe there first.
  const args = ['-C', folder, 'check-ignore', '--quiet', '--', file];
  return new Promise((resolve) => {
    execFile('git', args, { timeout: 2000 }, (error) =>
      resolve(![notIgnored, noRepository, 'ENOENT'].includes(error?.code ?? 0)),
    );
  });
}
