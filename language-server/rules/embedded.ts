// Code in a document of another language: a fence in Markdown that says which language it is.
import type { CursorDocument } from '../prompt/text-window.ts';

/** The code around the cursor: the document, or a part of it without what delimits that. */
export interface Code {
  languageId: string;
  start: number;
  end: number;
}

const searchedChars = 60_000;
const opener = /^[ \t]*(`{3,9}|~{3,9})(?![`~])([^\n]*)\n/gm;
const closer = (fence: string) => new RegExp(`^[ \\t]*${fence}`, 'm');

const languageIds: Record<string, string> = {
  bash: 'shellscript',
  cs: 'csharp',
  'c++': 'cpp',
  js: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
};

export function codeAt({ text, offset, languageId }: CursorDocument): Code {
  const whole = { languageId, start: 0, end: text.length };
  if (languageId !== 'markdown' || offset > searchedChars) return whole;
  const before = text.slice(0, offset);
  for (let at = 0; at < offset; ) {
    opener.lastIndex = at;
    const opened = opener.exec(before);
    if (!opened) return whole;
    const [{ length }, fence = '', info = ''] = opened;
    const [name = ''] = /^[\w+#-]+/.exec(info.trim().toLowerCase()) ?? [];
    const start = opened.index + length;
    const ending = closer(fence);
    const closed = ending.exec(before.slice(start));
    if (!closed) {
      const after = text.slice(offset, offset + searchedChars);
      const end = offset + (ending.exec(after)?.index ?? after.length);
      return name === '' ? whole : { languageId: languageIds[name] ?? name, start, end };
    }
    at = start + closed.index + closed[0].length;
  }
  return whole;
}
