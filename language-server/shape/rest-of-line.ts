// The rest is the part of the cursor's line to the right of the cursor. The model's text often repeats it, so the text
// may end where the rest begins again.
import type { Misfit } from '../protocol/reasons.ts';
import { closersOnly, inWord } from './delimiters.ts';
import type { End } from './ends.ts';
import { indentationOf } from './indentation.ts';
import type { Place } from './place.ts';

const maxCuts = 12;
const token = /\w+|=>|->|::|&&|\|\||\?\.|[=!<>]=+|[^\w\s]/g;

/**
 * The ends at which the text may be cut so that the rest can follow, best first. isEnded: the text cannot grow any
 * more.
 */
export function endsBeforeRest(text: string, place: Place, isEnded: boolean): End[] | Misfit {
  const { linePrefix, lineSuffix: rest, linesBelow } = place.around;
  const word = endOfWord(linePrefix, rest);
  if (word !== '') {
    const at = text.search(new RegExp(`${word}(?!${inWord.source})`, 'u'));
    return at === -1 ? 'splits-word' : [beforeRest(at)];
  }
  const ends: End[] = [];
  const trimmedRest = rest.trim();
  const trimmedText = text.trimEnd();
  const isClosing = closersOnly.test(rest);
  const [firstToken = ''] = rest.match(token) ?? [];
  if (!isClosing) {
    const [firstLine = ''] = text.split('\n', 1);
    if (firstLine.trim() === trimmedRest) return 'nothing-to-add';
    const at = wholeIndex(text, trimmedRest);
    if (trimmedRest.length > 1 && at !== -1) ends.push(beforeRest(at));
  }
  const recurrences = [...text.matchAll(token)].filter(([each]) => each === firstToken).slice(0, maxCuts);
  for (const { index } of recurrences) ends.push(beforeRest(index));
  if (isClosing) {
    for (const { index } of recurrences) {
      const beyond = trimmedText.slice(index);
      // If the text adds only a comma, and the next line closes the list, it adds nothing.
      const isSurplus =
        beyond.endsWith(',') && text.slice(0, index).trim() === '' && /^\s*[)\]}]/.test(linesBelow[0] ?? '');
      if (!isSurplus && beyond.startsWith(trimmedRest) && /^[;,]$/.test(beyond.slice(trimmedRest.length).trim()))
        ends.unshift({ at: trimmedText.length, isLine: true, replaces: rest.length, tail: '' });
    }
  } else if (containsRest(text, rest))
    ends.push({ at: trimmedText.length, isLine: true, replaces: rest.length, tail: '' });
  if (isEnded) ends.push(beforeRest(text.length));
  const startsNextLine = /^[ \t]*\n/.test(text);
  // If the text starts on the next line, the rest may move to a line of its own below the text.
  const aboveRest = ({ at }: End): End[] =>
    startsNextLine
      ? [
          {
            at: text.slice(0, at).trimEnd().length,
            isLine: true,
            replaces: rest.length,
            tail: `\n${indentationOf(linePrefix)}${rest.trimStart()}`,
          },
        ]
      : [];
  const beforeSpace = ({ at }: End) => (/^[\s)\],;]/.test(rest) ? text.slice(0, at).trimEnd().length : at);
  return ends.flatMap((cut) => (cut.replaces ? [cut] : [...aboveRest(cut), { ...cut, at: beforeSpace(cut) }]));
}

/** Whether the text already contains the rest, so that generation can stop. */
export function isPastRest(text: string, place: Place): boolean {
  const rest = place.around.lineSuffix.trim();
  if (closersOnly.test(rest)) return text.trim().startsWith(rest) && text.trim() !== rest;
  return rest.length > 1 && text.includes(rest);
}

/** An end at which the rest stays as it is. */
function beforeRest(at: number): End {
  return { at, isLine: true, replaces: 0, tail: '' };
}

/**
 * The part of the rest that belongs to the word around the cursor, or to its character if the cursor is before an
 * accent.
 */
function endOfWord(linePrefix: string, rest: string): string {
  const isInside = /^[\p{M}\p{Emoji_Modifier}]/u.test(rest) || inWord.test(linePrefix.slice(-1));
  return isInside ? (new RegExp(`^(?:${inWord.source}|\\p{Emoji_Modifier})+`, 'u').exec(rest)?.[0] ?? '') : '';
}

/** Where the whole rest occurs in the text, not beginning inside a word; -1 if nowhere. */
function wholeIndex(text: string, rest: string): number {
  let at = text.indexOf(rest);
  while (at > 0 && /\w\w/.test(text.slice(at - 1, at + 1))) at = text.indexOf(rest, at + 1);
  return at;
}

/** Whether the text contains all words of the rest in order. */
function containsRest(text: string, rest: string): boolean {
  const words = /\w+|[^\w\s]/g;
  const wanted = rest.match(words) ?? [];
  let found = 0;
  for (const [word] of text.matchAll(words)) if (word === wanted[found]) found++;
  return found === wanted.length;
}
