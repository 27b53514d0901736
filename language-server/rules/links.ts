// Cuts the text before a URL or e-mail address in prose or a comment: models tend to make them up.
import type { Place } from './place.ts';

const address = /\b(?:https?:\/\/|www\.)\S*|[\w.+-]+@\w[\w-]*\.\w+/g;

/** Where the first address begins that does not occur in the document. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  for (const found of text.matchAll(address)) if (!document.text.includes(found[0])) return found.index;
  return text.length;
}
