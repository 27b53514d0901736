// Asks git whether it ignores files. Must only be used in trusted workspaces: a repository's configuration can start
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

/** Those of the files that git ignores; all of them if git fails or takes too long. */
export function ignoredByGit(folder: string, files: string[]): Promise<Set<string>> {
  const args = ['-C', folder, 'check-ignore', '--stdin', '-z'];
  return new Promise((resolve) => {
    const child = execFile('git', args, { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 }, (error, ignored) => {
      const isKnown = error === null || error.code === notIgnored;
      const isOutside = error?.code === noRepository || error?.code === 'ENOENT';
      resolve(new Set(isOutside ? [] : isKnown ? ignored.split('\0') : files));
    });
    child.stdin?.on('error', () => {}); // it has ended early
    child.stdin?.end(files.map((file) => `${file}\0`).join(''));
  });
}
