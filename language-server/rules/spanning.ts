// Strings and comments that span lines: they may begin far above the cursor, where brackets are no longer looked for, and
// end below it.
import type { LongText } from '../documents/long-text.ts';
import { windowStart } from '../prompt/text-window.ts';
import type { Language } from './language.ts';
import type { Open } from './scanner.ts';

export const scannedChars = 4000;
const searchedChars = 60_000;

/** A line start at most scannedChars above the offset, or the line in which the string or comment around it begins. */
export function scanStart(text: LongText, offset: number, language: Language): number {
  const start = windowStart(text, offset, scannedChars);
  const delimiters = spanning(language);
  if (delimiters === null || start === 0 || start > searchedChars) return start;
  const before = text.slice(0, start);
  let open: { end: string; at: number } | null = null;
  for (const { 0: found, index } of before.matchAll(delimiters)) {
    const token = found.trim();
    const end = endOf(token, language);
    if (open?.end === token) open = null;
    else if (open === null && end !== null) open = { end, at: index };
  }
  return open === null ? start : before.lastIndexOf('\n', open.at) + 1;
}

/** Whether the cursor is in a string that is a statement of its own. before: the text from which `open` was found. */
export function isDocstring(before: string, open: readonly Open[], { family, multilineQuotes }: Language): boolean {
  const [quote] = open;
  if (family !== 'indentation' || open.length !== 1 || !quote || !multilineQuotes.includes(quote.token)) return false;
  return before.slice(before.lastIndexOf('\n', quote.at) + 1, quote.at).trim() === '';
}

/** Whether the string or comment that the token begins ends in the text that follows the cursor. */
export function endsIn(text: string, token: string, language: Language): boolean {
  const delimiters = spanning(language);
  const [next] = (delimiters && text.match(new RegExp(delimiters.source, 'm'))) ?? [];
  return next?.trim() === endOf(token, language);
}

const spanningOf = new Map<Language, RegExp | null>();

/**
 * Matches what delimits text of several lines: quotes of its own kind, and comments. A comment must begin its line, since
 * patterns for file names have the same characters, but in HTML.
 */
function spanning(language: Language): RegExp | null {
  const known = spanningOf.get(language);
  if (known !== undefined) return known;
  const quotes = language.multilineQuotes.filter((quote) => quote.length === 3 || quote === '`').map(escaped);
  const comments = language.blockComments.flatMap(([begin, end]) => [
    begin === '<!--' ? begin : `^[ \\t]*${escaped(begin)}`,
    escaped(end),
  ]);
  const all = [...quotes, ...comments];
  const made = all.length === 0 ? null : new RegExp(all.join('|'), 'gm');
  spanningOf.set(language, made);
  return made;
}

/** What ends the string or comment that a token begins; null if it begins none that spans lines. */
export function endOf(token: string, { blockComments, multilineQuotes }: Language): string | null {
  if (multilineQuotes.includes(token)) return token;
  return blockComments.find(([begin]) => begin === token)?.[1] ?? null;
}

function escaped(token: string): string {
  return token.replace(/[*.?+^$(){}|[\]\\]/g, '\\$&');
}
