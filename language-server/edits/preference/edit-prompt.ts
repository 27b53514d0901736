// The prompt that asks what becomes of some lines. The head has the last edits, each with the lines before and after,
// up to the cursor; the tail has the rest of the newest edit. The lines in question follow as if they were edited next.
// While the user types, the head only grows, so it stays cached.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { EditedDocument } from '../text/text-edit.ts';

const maxEdits = 3;
const maxLines = 40;
const maxChars = 1200;

export interface EditPrompt {
  /** Up to the cursor. */
  head: Uint32Array;
  /** The lines of the newest edit, from the cursor on. */
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
    .map((each) => record(engine, each.path, `${shortened(each.before)}\nupdated:\n${shortened(each.after)}\n`));
  const newest = edits.at(-1);
  const start = concatTokens(...(bosToken < 0 ? [] : [bosToken]), ...records);
  if (!newest) return { head: start, tail: new Uint32Array() };
  const after = shortened(newest.after);
  const at = cursorIn(after, text, cursor);
  const head = record(engine, newest.path, `${shortened(newest.before)}\nupdated:\n${after.slice(0, at)}`);
  return { head: concatTokens(start, head), tail: tokenizeText(engine, `${after.slice(at)}\n`) };
}

/** The offset of the cursor in these lines of the text; their end if it is not in them. */
function cursorIn(lines: string, text: string, cursor: number): number {
  if (cursor < 0) return lines.length;
  const start = text.lastIndexOf('\n', cursor - 1) + 1;
  const end = text.indexOf('\n', cursor);
  const line = text.slice(start, end === -1 ? text.length : end);
  const at = `\n${lines}\n`.lastIndexOf(`\n${line}\n`);
  return at === -1 || line.trim() === '' ? lines.length : at + cursor - start;
}

/** The part of the prompt with the lines in question, up to where the new lines begin. */
export function question(engine: Engine, path: string, lines: string): Uint32Array {
  return record(engine, path, `${lines}\nupdated:\n`);
}

function record(engine: Engine, path: string, lines: string): Uint32Array {
  const { fileSep } = engine.info.special;
  const text = tokenizeText(engine, `${path}.diff\noriginal:\n${lines}`);
  return fileSep < 0 ? text : concatTokens(fileSep, text);
}

/** The beginning and the end of a long text. */
function shortened(text: string): string {
  const lines = text.split('\n');
  const fewer =
    lines.length <= maxLines ? lines : [...lines.slice(0, maxLines / 2), '...', ...lines.slice(-maxLines / 2)];
  const whole = fewer.join('\n');
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars / 2)}\n...\n${whole.slice(-maxChars / 2)}`;
}
