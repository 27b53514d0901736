// Asks git which files it ignores. Use it only in trusted workspaces: a repository's configuration can start programs.
import { execFile } from 'node:child_process';
import { dirname, join, relative } from 'node:path';

const noneIgnored = 1;
/** Git's message outside of a repository, where no file is ignored. After any other error, git cannot tell. */
const outside = /^fatal: not a git repository \(or any/m;
const timeout = 10_000;
const maxBuffer = 16 * 1024 * 1024;

/** The files that git ignores, or about which it cannot tell. Empty without git or outside of a repository. */
export async function ignoredByGit(folder: string, files: string[]): Promise<Set<string>> {
  const ignored = await ask(folder, files);
  if (ignored !== null) return new Set(ignored);
  // Git refuses the whole list if one of the files is in a submodule or below a symbolic link. Asked in the folder of
  // such a file, git answers.
  const hidden = new Set<string>();
  for (const [own, inside] of byFolder(files)) for (const file of (await ask(own, inside)) ?? inside) hidden.add(file);
  return hidden;
}

/** Null if git cannot tell. */
function ask(folder: string, files: string[]): Promise<string[] | null> {
  // -C instead of a working directory: Windows would look for git.exe in the working directory first.
  const args = ['-C', folder, 'check-ignore', '--stdin', '-z'];
  const env = { ...process.env, LC_ALL: 'C' };
  return new Promise((resolve) => {
    const child = execFile('git', args, { timeout, maxBuffer, env }, (error, ignored, problem) => {
      if (error === null) resolve(ignored.split('\0').map((path) => join(folder, path)));
      else resolve(error.code === noneIgnored || error.code === 'ENOENT' || outside.test(problem) ? [] : null);
    });
    child.stdin?.on('error', () => {}); // git may end before it has read all names
    child.stdin?.end(files.map((file) => `${relative(folder, file)}\0`).join(''));
  });
}

function byFolder(files: string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const file of files) folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file]);
  return folders;
}
