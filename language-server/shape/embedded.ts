// Finds the part of a document that is in another language: a Markdown fence that names its language, a script, a
// style, the HTML in a PHP file.
import { LongText } from '../documents/long-text.ts';
import type { CursorDocument } from '../prompt/text-window.ts';
import type { Mend } from './mend.ts';

/** The code around the cursor: the whole document, or a part of it without what encloses the part. */
export interface Code extends CursorDocument {
  /** The closers that were added to the text for parsing; null: none. */
  mend: Mend | null;
}

const searchedChars = 60_000;

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

/** How a document contains parts in other languages. */
interface Host {
  /** Matches what begins a part. The groups are passed to the functions below. */
  opener: RegExp;
  /** Matches what ends the part. */
  closer: (mark: string) => RegExp;
  /** The part's language; '' if its opener does not name it. */
  language: (mark: string, info: string) => string;
}

const markdown: Host = {
  opener: /^[ \t]*(`{3,9}|~{3,9})(?![`~])([^\n]*)\n/gm,
  closer: (mark) => new RegExp(`^[ \\t]*${mark}`, 'm'),
  language: (_, info) => /^[\w+#-]+/.exec(info.trim().toLowerCase())?.[0] ?? '',
};
/** A comment counts as a part without a language, so a tag in it begins no part. Nor does one that closes itself. */
const html: Host = {
  opener: /<(!--|script\b|style\b)((?<=--)|[^<>]*(?<!\/)>)/g,
  // The end tag may be half written.
  closer: (name) => (name === '!--' ? /-->/ : new RegExp(`</(?:${name}|${[...name].join('?')}?$)`)),
  language(name, attributes) {
    const [, lang] = /\blang=["'](\w+)/.exec(attributes) ?? [];
    return lang ?? { '!--': '', style: 'css', template: 'html' }[name] ?? 'javascript';
  },
};
const hosts: Readonly<Record<string, Host>> = {
  markdown,
  html,
  svelte: html,
  astro: html,
  vue: { ...html, opener: /<(!--|script\b|style\b|template\b)((?<=--)|[^<>]*(?<!\/)>)/g },
  // The HTML between two pieces of PHP.
  php: { opener: /^(?=\s*<)|\?>/g, closer: () => /<\?/, language: () => 'html' },
};

export function codeAt({ text, offset, languageId, uri }: CursorDocument): Code {
  const host = Object.hasOwn(hosts, languageId) ? hosts[languageId] : undefined;
  const part = host && offset <= searchedChars ? partAt(text, offset, host) : null;
  if (!part) return { uri, languageId, text, offset, mend: null };
  const { start, end, name } = part;
  return {
    uri: `${uri}#${start}`,
    languageId: languageIds[name] ?? name,
    text: LongText.of(text.slice(start, end)),
    offset: offset - start,
    mend: null,
  };
}

/** The part around the offset, with the name of its language. null: there is none, or it has no name. */
function partAt(text: LongText, offset: number, { opener, closer, language }: Host) {
  const before = text.slice(0, offset);
  opener.lastIndex = 0;
  for (let opened = opener.exec(before); opened; opened = opener.exec(before)) {
    const [{ length }, mark = '', info = ''] = opened;
    const start = opened.index + length;
    const ending = closer(mark);
    const closed = ending.exec(before.slice(start));
    if (closed) opener.lastIndex = start + closed.index + closed[0].length;
    else {
      const after = text.slice(offset, offset + searchedChars);
      const name = language(mark, info);
      return name === '' ? null : { name, start, end: offset + (ending.exec(after)?.index ?? after.length) };
    }
  }
  return null;
}
