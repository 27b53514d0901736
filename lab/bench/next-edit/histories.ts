// Reads the commits of a git repository: the hunks of each file that a commit changes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';

/** Neighbouring lines that a commit replaces. */
export interface Hunk {
  /** The index of the first old line; if there is none, of the line before which the new lines are inserted. */
  line: number;
  old: string[];
  new: string[];
}

export interface ChangedFile {
  path: string;
  /** Git's id of the file's text before the commit. */
  blob: string;
  hunks: Hunk[];
}

export interface Commit {
  id: string;
  subject: string;
  files: ChangedFile[];
}

const languageIds: Record<string, string> = {
  '.c': 'c',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.cs': 'csharp',
  '.go': 'go',
  '.h': 'cpp',
  '.hh': 'cpp',
  '.java': 'java',
  '.js': 'javascript',
  '.kt': 'kotlin',
  '.mjs': 'javascript',
  '.php': 'php',
  '.py': 'python',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.swift': 'swift',
  '.ts': 'typescript',
  '.tsx': 'typescriptreact',
};

export function languageOf(path: string): string | undefined {
  return languageIds[extname(path)];
}

// The paths of copies, data and generated files, which nobody has typed.
const notWritten =
  /(^|\/)(node_modules|vendor|third_party|dist|build|fixtures|snapshots|__snapshots__|locales?)\/|\.min\.|\.pb\.|generated/i;

const git = ['-c', 'safe.directory=*'];

/** The repository's commits without merges, the newest first. */
export async function* commitsOf(repository: string): AsyncGenerator<Commit> {
  const patterns = Object.keys(languageIds).map((extension) => `*${extension}`);
  const format = ['--format=%x00%H %s', '--no-merges', '--no-renames', '--no-color', '--full-index'];
  const child = spawn('git', [...git, '-C', repository, 'log', '-p', '-U0', ...format, '--', ...patterns], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let isReadable = false;
  try {
    for await (const commit of parseLog(
      createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }),
    )) {
      isReadable = true;
      yield commit;
    }
    // In an incomplete history, git fails at some commit and prints why. The commits before that one are still good.
    if ((await ended)[0] !== 0 && !isReadable) throw new Error(`${repository} has no history that git can read`);
  } finally {
    child.kill();
  }
}

/** Parses the output of `git log -p -U0 --full-index --format='%x00%H %s'`. */
export async function* parseLog(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Commit> {
  let commit: Commit | undefined;
  let file: ChangedFile | undefined;
  let hunk: Hunk | undefined;
  for await (const line of lines) {
    if (line.startsWith('\0')) {
      if (commit) yield commit;
      const [id = '', ...subject] = line.slice(1).split(' ');
      commit = { id, subject: subject.join(' '), files: [] };
      file = hunk = undefined;
    } else if (line.startsWith('diff --git ')) {
      const path = line.slice(line.lastIndexOf(' b/') + 3);
      file = { path, blob: '', hunks: [] };
      hunk = undefined;
      if (languageOf(path) !== undefined && !notWritten.test(path)) commit?.files.push(file);
    } else if (file && hunk === undefined && line.startsWith('index ')) {
      file.blob = line.slice('index '.length).split('..', 1)[0] ?? '';
    } else if (file && line.startsWith('@@ ')) {
      const [, first = '0', count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
      // For an insertion, git gives the line before it; otherwise the first removed line.
      hunk = { line: Number(first) - (count === '0' ? 0 : 1), old: [], new: [] };
      file.hunks.push(hunk);
    } else if (line.startsWith('-')) hunk?.old.push(line.slice(1));
    else if (line.startsWith('+')) hunk?.new.push(line.slice(1));
  }
  if (commit) yield commit;
}

export function textOf(repository: string, blob: string): string {
  const { stdout } = spawnSync('git', [...git, '-C', repository, 'cat-file', 'blob', blob], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  return stdout;
}
