// A model has seen many addresses and knows none: one that it writes in prose or a comment leads anywhere.
import type { Place } from './place.ts';

const address = /\b(?:https?:\/\/|www\.)\S*|[\w.+-]+@\w[\w-]*\.\w+/g;

/** Where the text's first address begins that the document does not have. */
export function inventedLink(text: string, { within, document }: Place): number {
  if (within !== 'comment') return text.length;
  for (const found of text.matchAll(address)) if (!document.text.includes(found[0])) return found.index;
  return text.length;
}
