// Chooses how much of a changed line a typist has typed.
import { changesBetween, isWord, wordsOf } from '../../../language-server/edits/text/text-edit.ts';
import type { Random } from '../../../test/support/random.ts';

/** A line in the middle of being changed. */
export interface TypedLine {
  /** The line as it is now: the new text up to the cursor, and then the old text after the replaced part. */
  text: string;
  cursor: number;
  /** The text still to be typed at the cursor. */
  rest: string;
}

/**
 * How likely it is that a typist stops after these words, relative to other places: most likely after a comma or an
 * opening bracket, less likely after an operator, never in the indentation.
 */
function weightAfter(words: string[]): number {
  if (words.every((each) => each.trim() === '')) return 0;
  const last = words.at(-1) ?? '';
  if (/^[,;:([{]$/.test(last)) return 10;
  if (isWord(last) || /^[)\]}>"'`\d]/.test(last)) return 8;
  return /^\s/.test(last) ? 6 : 5;
}

/** The line with its changed part typed up to the end of one of its words. */
export function typedLine(oldLine: string, newLine: string, random: Random): TypedLine {
  const { head, typed, tail } = changedPart(oldLine, newLine);
  const words = wordsOf(typed);
  const weights = words.map((_, i) => weightAfter(words.slice(0, i + 1)));
  let ticket = random.below(
    Math.max(
      1,
      weights.reduce((sum, each) => sum + each, 0),
    ),
  );
  const last = weights.findIndex((weight) => {
    ticket -= weight;
    return ticket < 0;
  });
  const done = words.slice(0, last + 1).join('');
  return { text: head + done + tail, cursor: head.length + done.length, rest: typed.slice(done.length) };
}

/** The line with its changed part typed up to the middle of a word; undefined if no word is long enough. */
export function typedInsideWord(oldLine: string, newLine: string, random: Random): TypedLine | undefined {
  const { head, typed, tail } = changedPart(oldLine, newLine);
  const long = [...typed.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu)];
  if (long.length === 0) return undefined;
  const { index, 0: word } = random.pick(long);
  const done = typed.slice(0, index + 1 + random.below(word.length - 2));
  return { text: head + done + tail, cursor: head.length + done.length, rest: typed.slice(done.length) };
}

/** typed: the new text from the first changed word to the last one; head and tail: the unchanged text around it. */
function changedPart(oldLine: string, newLine: string): { head: string; typed: string; tail: string } {
  const changes = changesBetween(oldLine, newLine);
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return { head: newLine, typed: '', tail: '' };
  const [head, tail] = [oldLine.slice(0, first.start), oldLine.slice(last.end)];
  return { head, typed: newLine.slice(head.length, newLine.length - tail.length), tail };
}
