// A stub for the part of VS Code's API that matches files with globs. It supports *, **, braces and literal text.
import type { Uri } from 'vscode';

export class RelativePattern {
  readonly baseUri: Uri;

  constructor(
    base: { uri: Uri } | Uri,
    readonly pattern: string,
  ) {
    this.baseUri = 'uri' in base ? base.uri : base;
  }
}

export const languages = {
  match: (selector: { pattern: string | RelativePattern }[], { uri }: { uri: Uri }) =>
    selector.some(({ pattern }) => isMatch(pattern, uri.fsPath)) ? 10 : 0,
};

function isMatch(pattern: string | RelativePattern, path: string): boolean {
  if (typeof pattern === 'string') return toRegExp(pattern).test(path);
  const folder = `${pattern.baseUri.fsPath}/`;
  return path.startsWith(folder) && toRegExp(pattern.pattern).test(path.slice(folder.length));
}

export function toRegExp(glob: string): RegExp {
  const parts: Record<string, string> = { '**/': '(.*/)?', '**': '.*', '*': '[^/]*', '{': '(', ',': '|', '}': ')' };
  return new RegExp(`^${glob.replace(/\*\*\/?|[*.{,}]/g, (part) => parts[part] ?? '\\.')}$`);
}
