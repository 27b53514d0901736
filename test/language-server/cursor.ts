import { LongText } from '../../language-server/documents/long-text.ts';
import type { CursorDocument } from '../../language-server/prompt/text-window.ts';

/** The text without its "$0", and the offset where that was. */
export function cursorIn(marked: string): { text: string; offset: number } {
  const offset = marked.indexOf('$0');
  if (offset === -1) throw new Error('the text has no $0');
  return { text: marked.slice(0, offset) + marked.slice(offset + 2), offset };
}

/** A document with the cursor where the text says "$0". */
export function atCursor(marked: string, languageId = 'typescript', uri = 'file:///sample.ts'): CursorDocument {
  const { text, offset } = cursorIn(marked);
  return { uri, languageId, text: LongText.of(text), offset };
}
