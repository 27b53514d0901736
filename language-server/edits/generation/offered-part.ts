// The part of an edit around the cursor that may be offered.
import { wordAt } from '../text/lines.ts';
import { changesOf, commonEnds, type EditedDocument, type TextEdit } from '../text/text-edit.ts';

/**
 * The edit if it leaves the line of the cursor as it is. If all it does to that line is to insert text at the cursor,
 * only this text. Null if it changes the line in any other way, or completes a word, as suggestions do.
 */
export function offeredPart(edit: TextEdit, { text, cursor }: EditedDocument): TextEdit | null {
  const lineStart = text.lastIndexOf('\n', cursor - 1) + 1;
  const lineEnd = `${text}\n`.indexOf('\n', cursor);
  const changes = changesOf(edit, text).map((change) => trimmed(change, text));
  const here = changes.filter(({ start, end }) => start <= lineEnd && end >= lineStart);
  const [first, ...others] = here;
  if (!first) return edit;
  const isAtCursor = others.length === 0 && first.start === cursor && first.end === cursor;
  return isAtCursor && !completesWord(first.text, text, cursor) ? first : null;
}

/** The change without what its old and its new text have in common at their ends. */
function trimmed({ start, end, text: now }: TextEdit, text: string): TextEdit {
  const { head, tail } = commonEnds(text.slice(start, end), now);
  return { start: start + head, end: end - tail, text: now.slice(head, now.length - tail) };
}

const completesWord = (inserted: string, text: string, cursor: number) =>
  wordAt(text, cursor).before !== '' && wordAt(inserted, 0).after !== '';
