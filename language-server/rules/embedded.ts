// Code in a document of another language: a fence in Markdown that says which language it is, a script or a style in HTML.
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

const withElements = new Set(['astro', 'handlebars', 'html', 'svelte', 'vue']);
const elementStart = /^<(script|style)\b([^<>]*)>[^\S\n]*\n/;

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

export function codeAt(document: CursorDocument): Code {
  const { text, languageId } = document;
  const whole = { languageId, start: 0, end: text.length };
  return (languageId === 'markdown' ? fenceAround(document) : elementAround(document)) ?? whole;
}

/** The script or the style around the cursor, from the line below its tag. */
function elementAround({ text, offset, languageId }: CursorDocument): Code | undefined {
  if (!withElements.has(languageId)) return undefined;
  const first = Math.max(0, offset - searchedChars);
  const before = text.slice(first, offset);
  const opened = before.slice(Math.max(before.lastIndexOf('<script'), before.lastIndexOf('<style'), 0));
  const [head, name = '', attributes = ''] = elementStart.exec(opened) ?? [];
  if (head === undefined || opened.includes(`</${name}`)) return undefined;
  const after = text.slice(offset, offset + searchedChars);
  const end = after.indexOf(`</${name}`);
  const id = /\blang=["']?(\w+)/.exec(attributes)?.[1] ?? (name === 'script' ? 'js' : 'css');
  return {
    languageId: languageIds[id] ?? id,
    start: offset - opened.length + head.length,
    end: offset + (end === -1 ? after.length : end),
  };
}

function fenceAround({ text, offset }: CursorDocument): Code | undefined {
  if (offset > searchedChars) return undefined;
  const before = text.slice(0, offset);
  for (let at = 0; at < offset; ) {
    opener.lastIndex = at;
    const opened = opener.exec(before);
    if (!opened) return undefined;
    const [{ length }, fence = '', info = ''] = opened;
    const [name = ''] = /^[\w+#-]+/.exec(info.trim().toLowerCase()) ?? [];
    const start = opened.index + length;
    const ending = closer(fence);
    const closed = ending.exec(before.slice(start));
    if (!closed) {
      const after = text.slice(offset, offset + searchedChars);
      const end = offset + (ending.exec(after)?.index ?? after.length);
      return name === '' ? undefined : { languageId: languageIds[name] ?? name, start, end };
    }
    at = start + closed.index + closed[0].length;
  }
  return undefined;
}
