// Finds the part of a document that is in another language: a Markdown fence that names its language, a script, a
// style, the HTML in a PHP file.
import { LongText } from '../documents/long-text.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { Mend } from './mend.ts';

/** The code around the cursor: the whole document, or a part of it without what encloses the part. */
export interface Code {
  uri: string;
  languageId: string;
  text: LongText;
  /** The document offset at which the code begins. */
  start: number;
  /** The closers that were added to the text for parsing; null: none. */
  mend: Mend | null;
}

const searchedChars = 60_000;
const fence = /^[ \t]*(`{3,9}|~{3,9})(?![`~])([^\n]*)\n/gm;
const element = /<(script|style|template)\b([^<>]*)>/g;

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
  const { text, offset, languageId, uri } = document;
  const part = offset > searchedChars ? null : partAt(document);
  if (!part) return { uri, languageId, text, start: 0, mend: null };
  const { start, end } = part;
  const own = LongText.of(text.slice(start, end));
  return { uri: `${uri}#${start}`, languageId: part.languageId, text: own, start, mend: null };
}

interface Part {
  languageId: string;
  start: number;
  end: number;
}

function partAt(document: CursorDocument): Part | null {
  if (document.languageId === 'markdown') return fenceAt(document);
  if (document.languageId === 'php') return markupAt(document);
  return /^(?:html|vue|svelte|astro)$/.test(document.languageId) ? elementAt(document) : null;
}

/** The HTML between two pieces of PHP. */
function markupAt({ text, offset }: CursorDocument): Part | null {
  const before = text.slice(0, offset);
  const [begin, end] = [before.lastIndexOf('<?'), before.lastIndexOf('?>')];
  if (begin > end || !/^\s*</.test(before)) return null;
  const next = text.slice(offset, offset + searchedChars).indexOf('<?');
  return { languageId: 'html', start: end === -1 ? 0 : end + 2, end: next === -1 ? text.length : offset + next };
}

function fenceAt({ text, offset }: CursorDocument): Part | null {
  const before = text.slice(0, offset);
  for (let at = 0; at < offset; ) {
    fence.lastIndex = at;
    const opened = fence.exec(before);
    if (!opened) return null;
    const [{ length }, mark = '', info = ''] = opened;
    const [name = ''] = /^[\w+#-]+/.exec(info.trim().toLowerCase()) ?? [];
    const start = opened.index + length;
    const ending = new RegExp(`^[ \\t]*${mark}`, 'm');
    const closed = ending.exec(before.slice(start));
    if (!closed) {
      const after = text.slice(offset, offset + searchedChars);
      const end = offset + (ending.exec(after)?.index ?? after.length);
      return name === '' ? null : { languageId: languageIds[name] ?? name, start, end };
    }
    at = start + closed.index + closed[0].length;
  }
  return null;
}

function elementAt({ text, offset, languageId }: CursorDocument): Part | null {
  const before = text.slice(0, offset);
  const opened = [...before.matchAll(element)].at(-1);
  if (!opened) return null;
  const [{ length }, name = '', attributes = ''] = opened;
  const start = opened.index + length;
  const ending = `</${name}`;
  // The cursor may be after the end tag, or inside it.
  const begun = /<\/\w*$/.exec(before)?.[0];
  if (before.includes(ending, start) || (begun && ending.startsWith(begun))) return null;
  const after = text.slice(offset, offset + searchedChars);
  const found = after.indexOf(ending);
  const end = offset + (found === -1 ? after.length : found);
  const [, lang = ''] = /\blang=["'](\w+)/.exec(attributes) ?? [];
  if (name === 'template') return languageId === 'vue' ? { languageId: 'html', start, end } : null;
  return { languageId: languageIds[lang] ?? (lang || (name === 'style' ? 'css' : 'javascript')), start, end };
}
