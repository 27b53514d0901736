// The rest is what is right of the cursor in its line. The model's text often repeats it, so the text may end where the
// rest begins again.
import type { Misfit } from '../protocol/reasons.ts';
import type { End } from './ends.ts';
import { indentationOf } from './indentation.ts';
import type { Place } from './place.ts';
import { closersOnly, inWord } from './signs.ts';

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
    return at === -1 ? 'splits-word' : [{ ...beforeRest(at), isInWord: true }];
  }
  const found: End[] = [];
  const wanted = rest.trim();
  const written = text.trimEnd();
  const isClosing = closersOnly.test(rest);
  const [first = ''] = isClosing ? [wanted.charAt(0)] : (rest.match(token) ?? []);
  if (!isClosing) {
    const at = wholeIndex(text, wanted);
    if (wanted.length > 1 && at !== -1) found.push(beforeRest(at));
  }
  const recurrences = [...text.matchAll(isClosing ? /[^\s\w]/g : token)]
    .filter(([each]) => each === first)
    .slice(0, maxCuts);
  for (const { index } of recurrences) found.push(beforeRest(index));
  if (isClosing) {
    for (const { index } of recurrences) {
      const beyond = written.slice(index);
      // If the text adds only a comma, and the next line closes the list, it adds nothing.
      const isSurplus =
        beyond.endsWith(',') && text.slice(0, index).trim() === '' && /^\s*[)\]}]/.test(linesBelow[0] ?? '');
      if (!isSurplus && beyond.startsWith(wanted) && /^[;,]$/.test(beyond.slice(wanted.length).trim()))
        found.unshift({ at: written.length, isLine: true, replaces: rest.length, tail: '' });
    }
  } else if (written !== wanted && containsRest(text, rest))
    found.push({ at: written.length, isLine: true, replaces: rest.length, tail: '' });
  const shared = sharedLength(written, wanted);
  if (isEnded) found.push(beforeRest(shared > 0 ? written.length - shared : text.length));
  const startsNextLine = /^[ \t]*\n/.test(text) && isClosing;
  // The text is on the next line, and the rest moves to a line of its own below it.
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
  const trimmed = ({ at }: End) => (/^[\s)\],;]/.test(rest) ? text.slice(0, at).trimEnd().length : at);
  return found.flatMap((cut) => (cut.replaces ? [cut] : [...aboveRest(cut), { ...cut, at: trimmed(cut) }]));
}

/** Whether the text already contains the rest, so that generation can stop. */
export function isPastRest(text: string, place: Place): boolean {
  const rest = place.around.lineSuffix.trim();
  return rest.length > 1 && text.includes(rest) && !closersOnly.test(rest);
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

/** Whether the text contains all words of the rest in order, and ends with the rest's last word. */
function containsRest(text: string, rest: string): boolean {
  const wanted = words(rest);
  const given = words(text);
  if (given.at(-1) !== wanted.at(-1)) return false;
  let found = 0;
  for (const word of given) if (word === wanted[found]) found++;
  return found === wanted.length;
}

function words(text: string): string[] {
  return text.match(/\w+|[^\w\s]/g) ?? [];
}

/** The length of the longest overlap: the text ends with it and the rest begins with it. It splits no word. */
function sharedLength(text: string, rest: string): number {
  for (let length = Math.min(text.length, rest.length); length > 0; length--) {
    const at = text.length - length;
    const splitsWord = /\w\w/.test(text.slice(at - 1, at + 1)) || /\w\w/.test(rest.slice(length - 1, length + 1));
    if (!splitsWord && text.endsWith(rest.slice(0, length))) return length;
  }
  return 0;
}
