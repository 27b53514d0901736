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
    return at === -1 ? 'splits-word' : [{ at, isLine: true, replaces: 0, tail: '' }];
  }
  const trimmedRest = rest.trim();
  const isClosing = closersOnly.test(rest);
  if (!isClosing && text.split('\n', 1)[0]?.trim() === trimmedRest) return 'nothing-to-add';
  const [firstToken] = rest.match(token) ?? [];
  const recurrences = [...text.matchAll(token)].filter(([each]) => each === firstToken).map(({ index }) => index);
  const isWhole = (at: number) => !isClosing && trimmedRest.length > 1 && text.startsWith(trimmedRest, at);
  const cuts = [...new Set([...recurrences.filter(isWhole), ...recurrences])].slice(0, maxCuts);
  const ends = cuts.flatMap(endsAt);
  const whole: End = { at: text.trimEnd().length, isLine: true, replaces: rest.length, tail: '' };
  if (isClosing && cuts.some(endsWithMark)) ends.unshift(whole);
  if (!isClosing && containsRest(text, rest)) ends.push(whole);
  return isEnded ? [...ends, ...endsAt(text.length)] : ends;

  /** Whether a comma or a semicolon after the closers is all that the text has from there on. */
  function endsWithMark(at: number): boolean {
    const beyond = text.slice(at).trimEnd();
    // If the text adds only a comma, and the next line closes the list, it adds nothing.
    const isSurplus = beyond.endsWith(',') && text.slice(0, at).trim() === '' && /^\s*[)\]}]/.test(linesBelow[0] ?? '');
    return !isSurplus && beyond.startsWith(trimmedRest) && /^[;,]$/.test(beyond.slice(trimmedRest.length).trim());
  }

  /** The end before the rest, and one for a text that starts on the next line: then the rest may follow below it. */
  function endsAt(cut: number): End[] {
    const trimmed = text.slice(0, cut).trimEnd().length;
    const tail = `\n${indentationOf(linePrefix)}${rest.trimStart()}`;
    const before = { at: /^[\s)\],;]/.test(rest) ? trimmed : cut, isLine: true, replaces: 0, tail: '' };
    return /^[ \t]*\n/.test(text) ? [{ at: trimmed, isLine: true, replaces: rest.length, tail }, before] : [before];
  }
}

/** Whether the text already contains the rest, so that generation can stop. */
export function isPastRest(text: string, place: Place): boolean {
  const rest = place.around.lineSuffix.trim();
  if (closersOnly.test(rest)) return text.trim().startsWith(rest) && text.trim() !== rest;
  return rest.length > 1 && text.includes(rest);
}

/**
 * The part of the rest that belongs to the word around the cursor, or to its character if the cursor is before an
 * accent.
 */
function endOfWord(linePrefix: string, rest: string): string {
  const isInside = /^[\p{M}\p{Emoji_Modifier}]/u.test(rest) || inWord.test(linePrefix.slice(-1));
  return isInside ? (new RegExp(`^(?:${inWord.source}|\\p{Emoji_Modifier})+`, 'u').exec(rest)?.[0] ?? '') : '';
}

/** Whether the text contains all words of the rest in order. */
function containsRest(text: string, rest: string): boolean {
  const words = /\w+|[^\w\s]/g;
  const wanted = rest.match(words) ?? [];
  let found = 0;
  for (const [word] of text.matchAll(words)) if (word === wanted[found]) found++;
  return found === wanted.length;
}
