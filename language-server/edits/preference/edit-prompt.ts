// The prompt that asks how the user would edit some lines:
//
//   head       the last edits, each as lines before and after, up to the cursor
//   tail       the rest of the newest edit, from the cursor on
//   question   the lines, written like one more edit whose new lines are missing
//
// While the user types, the head only grows, so it stays in the cache.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { EditedDocument } from '../text/text-edit.ts';

const maxEdits = 3;
const maxLines = 40;
const maxChars = 1200;

export interface EditPrompt {
  head: Uint32Array;
  tail: Uint32Array;
}

/** The prompt with the newest edits, oldest first. */
export function editPrompt(
  engine: Engine,
  { text, cursor, history }: Pick<EditedDocument, 'text' | 'cursor' | 'history'>,
): EditPrompt {
  const { bosToken } = engine.info;
  const edits = history.slice(-maxEdits);
  const records = edits
    .slice(0, -1)
    .map((edit) => record(engine, edit.path, `${shortened(edit.before)}\nupdated:\n${shortened(edit.after)}\n`));
  const newest = edits.at(-1);
  const start = concatTokens(...(bosToken < 0 ? [] : [bosToken]), ...records);
  if (!newest) return { head: start, tail: new Uint32Array() };
  const after = shortened(newest.after);
  const at = cursorIn(after, text, cursor);
  const head = record(engine, newest.path, `${shortened(newest.before)}\nupdated:\n${after.slice(0, at)}`);
  return { head: concatTokens(start, head), tail: tokenizeText(engine, `${after.slice(at)}\n`) };
}

/**
 * The offset of the cursor within the lines; their length if the cursor is elsewhere. cursor: its offset in the text.
 */
function cursorIn(lines: string, text: string, cursor: number): number {
  if (cursor < 0) return lines.length;
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  const end = text.indexOf('\n', cursor);
  const line = text.slice(start, end === -1 ? text.length : end);
  const at = `\n${lines}\n`.lastIndexOf(`\n${line}\n`);
  return at === -1 || line.trim() === '' ? lines.length : at + cursor - start;
}

/** The question about these lines. The new lines would follow it. */
export function question(engine: Engine, path: string, lines: string): Uint32Array {
  return record(engine, path, `${lines}\nupdated:\n`);
}

function record(engine: Engine, path: string, lines: string): Uint32Array {
  const { fileSep } = engine.info.special;
  const text = tokenizeText(engine, `${path}.diff\noriginal:\n${lines}`);
  return fileSep < 0 ? text : concatTokens(fileSep, text);
}

/** The text, without its middle if it is long. */
function shortened(text: string): string {
  const lines = text.split('\n');
  const fewer =
    lines.length <= maxLines ? lines : [...lines.slice(0, maxLines / 2), '...', ...lines.slice(-maxLines / 2)];
  const whole = fewer.join('\n');
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars / 2)}\n...\n${whole.slice(-maxChars / 2)}`;
}
