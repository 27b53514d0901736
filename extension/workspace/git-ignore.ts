// Asks git which files it ignores. Must only be used in trusted workspaces: a repository's configuration can start
// programs.
import { execFile } from 'node:child_process';
import { dirname, join, relative } from 'node:path';

const noneIgnored = 1;
/** Any other error is that of a repository which git cannot or must not read, such as one of another user. */
const outside = /^fatal: not a git repository \(or any/m;
const timeout = 10_000;
const maxBuffer = 16 * 1024 * 1024;

/** Those of the files that git ignores, and those of which it cannot tell; none without git or outside a repository. */
export async function ignoredByGit(folder: string, files: string[]): Promise<Set<string>> {
  const ignored = await ask(folder, files);
  if (ignored !== null) return new Set(ignored);
  // Git answers nothing if one of the files is in a submodule or behind a symbolic link. Seen from its own folder, it is not.
  const hidden = new Set<string>();
  for (const [own, inside] of byFolder(files)) for (const file of (await ask(own, inside)) ?? inside) hidden.add(file);
  return hidden;
}

/** Null if git cannot tell. */
function ask(folder: string, files: string[]): Promise<string[] | null> {
  // Not with the folder as working directory: Windows would look for git.exe there first.
  const args = ['-C', folder, 'check-ignore', '--stdin', '-z'];
  const env = { ...process.env, LC_ALL: 'C' };
  return new Promise((resolve) => {
    const child = execFile('git', args, { timeout, maxBuffer, env }, (error, ignored, problem) => {
      if (error === null) resolve(ignored.split('\0').map((path) => join(folder, path)));
      else resolve(error.code === noneIgnored || error.code === 'ENOENT' || outside.test(problem) ? [] : null);
    });
    child.stdin?.on('error', () => {}); // it has ended early
    child.stdin?.end(files.map((file) => `${relative(folder, file)}\0`).join(''));
  });
}

function byFolder(files: string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const file of files) folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file]);
  return folders;
}
