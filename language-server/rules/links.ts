// Cuts the text before a URL or e-mail address in prose or a comment: models tend to make them up.
import type { Place } from './place.ts';

const address = /\b(?:https?:\/\/|www\.)\S*|(?<![\w.+-])[\w.+-]+@\w[\w-]*\.\w+/g;

/** Where the first address begins that does not occur in the document. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  const found = [...text.matchAll(address)];
  const known = found.length === 0 ? '' : document.text.toString();
  return found.find(([each]) => !known.includes(each))?.index ?? text.length;
}
