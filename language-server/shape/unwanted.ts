// Rules that cut what must never be shown: text after the end of a comment, made-up addresses, Git's conflict markers
// and special tokens. Each returns where it cuts. policy.ts says in which order the rules apply.
import type { Place } from './place.ts';

const searchedChars = 60_000;

/**
 * Where the text leaves the comment, or the string of several lines, around the cursor: after the closer that it
 * writes, or before it if the document has the closer already.
 */
export function commentEnd(text: string, { within, around, closer, isClosed }: Place): number {
  if (closer === '' || around.lineSuffix.trim() !== '') return text.length;
  if (within === 'string' && !isClosed) return text.length;
  const at = text.indexOf(closer);
  if (at === -1) return text.length;
  return isClosed ? at : at + closer.length;
}

const marker = /^(?:<{7}|>{7}|\|{7}|={7})(?=\s|$)/gm;

/**
 * Where one of Git's conflict markers begins. Seven equals signs count only below an opening marker: elsewhere they may
 * underline a heading.
 */
export function conflictMarker(text: string, { around, document: { text: whole, offset } }: Place): number {
  const { length } = around.linePrefix;
  const markers = [...(around.linePrefix + text).matchAll(marker)];
  const isConflict = () => /^<{7}\s/m.test(whole.slice(Math.max(0, offset - searchedChars), offset));
  const found = markers.find(([signs]) => !signs.startsWith('=') || isConflict());
  return found ? Math.max(0, found.index - length - 1) : text.length;
}

const address = /\b(?:https?:\/\/|www\.)\S*|(?<![\w.+-])[\w.+-]+@\w[\w-]*\.\w+/g;

/** In a comment: where the first address begins that does not occur in the document. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  const found = [...text.matchAll(address)];
  const known = found.length === 0 ? '' : document.text.toString();
  return found.find(([each]) => !known.includes(each))?.index ?? text.length;
}

/** Where a special token is spelled out in ordinary tokens. Real special tokens end generation. */
export function specialToken(text: string): number {
  const at = text.search(/<\|(?:fim_\w+|endoftext|im_start|im_end|repo_name|file_sep|cursor)\|>/);
  return at === -1 ? text.length : at;
}
