// Chooses the part of a written edit around the cursor that may be offered.
import { wordAt } from '../text/lines.ts';
import { changesOf, commonEnds, type EditedDocument, type TextEdit } from '../text/text-edit.ts';

/**
 * If the edit leaves the cursor's line as it is: the whole edit. If its only change of that line inserts text at the
 * cursor: this insertion. Null if it changes the line in another way, or completes a word: suggestions do that.
 */
export function offeredPart(edit: TextEdit, { text, cursor }: EditedDocument): TextEdit | null {
  const lineStart = text.lastIndexOf('\n', cursor - 1) + 1;
  const lineEnd = `${text}\n`.indexOf('\n', cursor);
  const changes = changesOf(edit, text).map((change) => trimmed(change, text));
  const [first, ...others] = changes.filter(({ start, end }) => start <= lineEnd && end >= lineStart);
  if (!first) return edit;
  const isAtCursor = others.length === 0 && first.start === cursor && first.end === cursor;
  return isAtCursor && !completesWord(first.text, text, cursor) ? first : null;
}

/** The change without the beginning and the end that its old and its new text share. */
function trimmed({ start, end, text: now }: TextEdit, text: string): TextEdit {
  const { head, tail } = commonEnds(text.slice(start, end), now);
  return { start: start + head, end: end - tail, text: now.slice(head, now.length - tail) };
}

const completesWord = (inserted: string, text: string, cursor: number) =>
  wordAt(text, cursor).before !== '' && wordAt(inserted, 0).after !== '';
