// The word at the cursor, which may be half typed if the newest edit brought it.
import { type EditedDocument, wordsOf } from '../text/text-edit.ts';

const longest = 80;

/** The word's parts before and after the cursor. text: that of a document, or a part of it. */
export function wordAt(
  text: { slice(start: number, end: number): string },
  cursor: number,
): { before: string; after: string } {
  const at = Math.max(0, cursor);
  const before = /[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, at - longest), at))?.[0] ?? '';
  const after = cursor < 0 ? '' : (/^[\p{L}\p{N}_$]*/u.exec(text.slice(at, at + longest))?.[0] ?? '');
  return { before, after };
}

/** The word before the cursor, if the newest edit brought it and nothing else in the document or the history has it. */
export function newWord({ text, cursor, history }: EditedDocument): string | undefined {
  const { before: word, after: rest } = wordAt(text, cursor);
  const newest = history.at(-1);
  if (word === '' || rest !== '' || !newest) return undefined;
  if (!wordsOf(newest.after).includes(word) || wordsOf(newest.before).includes(word)) return undefined;
  const earlier = history.slice(0, -1).flatMap(({ before, after }) => [before, after]);
  const others = [text.slice(0, cursor - word.length), text.slice(cursor), ...earlier];
  return others.some((each) => each.includes(word) && wordsOf(each).includes(word)) ? undefined : word;
}
