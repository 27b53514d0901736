// Tags that close an element which is closed already, or was never opened.
import type { Place } from './place.ts';

const searchedChars = 60_000;
// Behind a name stand type arguments. An arrow in an attribute ends no tag.
const tags = /(?:(?<![\w.])<|<(\/))([a-zA-Z][\w.:-]*)(?:\s(?:=>|[^<>])*)?(?<!\/)>/g;

/** Where the first closing tag begins whose element the document closes without it; text.length if there is none. */
export function surplusTag(text: string, place: Place): number {
  const { family } = place.language;
  if (!text.includes('</') || place.within !== 'code' || place.around.lineSuffix.trim() !== '') return text.length;
  if (family === 'data' || family === 'prose') return text.length;
  const lacking = lackingTags(place);
  const opened = new Map<string, number>();
  for (const { 1: slash, 2: name = '', index } of text.matchAll(tags)) {
    const count = opened.get(name) ?? 0;
    if (slash === undefined) opened.set(name, count + 1);
    else if (count > 0) opened.set(name, count - 1);
    else if ((lacking.get(name) ?? 0) === 0) return index;
    else lacking.set(name, (lacking.get(name) ?? 0) - 1);
  }
  return text.length;
}

/** How many elements of each name are open at the cursor that nothing below closes. */
function lackingTags({ document: { text, offset } }: Place): Map<string, number> {
  const lacking = new Map<string, number>();
  const count = (name: string) => lacking.get(name) ?? 0;
  // A tag that is not ended at the cursor is one, too.
  const before = `${text.slice(Math.max(0, offset - searchedChars), offset)}>`;
  for (const { 1: slash, 2: name = '' } of before.matchAll(tags))
    lacking.set(name, Math.max(0, count(name) + (slash === undefined ? 1 : -1)));
  const inner = new Map<string, number>();
  for (const { 1: slash, 2: name = '' } of text.slice(offset, offset + searchedChars).matchAll(tags)) {
    const depth = inner.get(name) ?? 0;
    if (slash === undefined) inner.set(name, depth + 1);
    else if (depth > 0) inner.set(name, depth - 1);
    else lacking.set(name, Math.max(0, count(name) - 1));
  }
  return lacking;
}
