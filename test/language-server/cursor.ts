import type { CursorDocument } from '../../language-server/prompt/text-window.ts';

/** A document with the cursor where the text says "$0". */
export function atCursor(
  marked: string,
  languageId = 'typescript',
  uri = 'file:///sample.ts',
): CursorDocument & { text: string } {
  const offset = marked.indexOf('$0');
  if (offset === -1) throw new Error('the text has no $0');
  return { uri, languageId, text: marked.slice(0, offset) + marked.slice(offset + 2), offset };
}
