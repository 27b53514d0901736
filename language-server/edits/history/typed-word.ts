// The word that the user is typing.
import { wordAt } from '../text/lines.ts';
import { type EditedDocument, wordsOf } from '../text/text-edit.ts';

/**
 * The word before the cursor if the newest edit wrote it, and it occurs nowhere else in the document or the history.
 */
export function newWord({ text, cursor, history }: EditedDocument): string | undefined {
  const { before: word, after: rest } = wordAt(text, cursor);
  const newest = history.at(-1);
  if (word === '' || rest !== '' || !newest) return undefined;
  if (!wordsOf(newest.after).includes(word) || wordsOf(newest.before).includes(word)) return undefined;
  const earlier = history.slice(0, -1).flatMap(({ before, after }) => [before, after]);
  const others = [text.slice(0, cursor - word.length), text.slice(cursor), ...earlier];
  return others.some((other) => other.includes(word) && wordsOf(other).includes(word)) ? undefined : word;
}
