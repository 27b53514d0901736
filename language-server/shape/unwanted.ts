// Cuts text that should not be there at all: behind the end of a comment, made-up addresses, markers of Git's and special
// tokens. policy.ts says in which order the rules apply.
import type { Place } from './place.ts';

const searchedChars = 60_000;

/**
 * Where the text leaves the comment, or the string of several lines, around the cursor: behind what ends it, or before that
 * if an end stands below already. Code does not come out of a comment.
 */
export function commentEnd(text: string, { within, around, kind, textAround: { closer, isClosed } }: Place): number {
  if (within === 'code' || kind === 'prose' || closer === '' || around.lineSuffix.trim() !== '') return text.length;
  if (within === 'string' && !isClosed) return text.length;
  const at = text.indexOf(closer);
  if (at === -1) return text.length;
  return isClosed ? at : at + closer.length;
}

/** Nothing behind the beginning of a closing tag but the name of an element. */
export function tagName(text: string, { around, within }: Place): number {
  const isTag = within === 'code' && around.linePrefix.endsWith('</');
  return isTag && !/^[\p{L}>]/u.test(text) ? 0 : text.length;
}

const marker = /^(?:<{7}|>{7}|\|{7}|={7})(?=\s|$)/gm;

/** Where a line begins with which Git separates the sides of a conflict. Signs of equality may also underline a heading. */
export function conflictMarker(text: string, { around, document: { text: whole, offset } }: Place): number {
  const { length } = around.linePrefix;
  const markers = [...(around.linePrefix + text).matchAll(marker)];
  if (markers.length === 0) return text.length;
  const isConflict = /^<{7}\s/m.test(whole.slice(Math.max(0, offset - searchedChars), offset));
  const found = markers.find(([signs]) => isConflict || !signs.startsWith('='));
  return found ? Math.max(0, found.index - length - 1) : text.length;
}

const address = /\b(?:https?:\/\/|www\.)\S*|(?<![\w.+-])[\w.+-]+@\w[\w-]*\.\w+/g;

/** Where the first address begins that does not occur in the document. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  const found = [...text.matchAll(address)];
  const known = found.length === 0 ? '' : document.text.toString();
  return found.find(([each]) => !known.includes(each))?.index ?? text.length;
}

// Generation ends at special tokens. This finds one that the model spells out in ordinary tokens.
export function specialToken(text: string): number {
  const at = text.search(/<\|(?:fim_\w+|endoftext|im_start|im_end|repo_name|file_sep|cursor)\|>/);
  return at === -1 ? text.length : at;
}
