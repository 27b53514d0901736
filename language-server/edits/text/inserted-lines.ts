// Inserted lines can be written in two ways, for example "x" between the lines "a" and "b" (| is the place, ↵ a line break):
//
//   above the next line           a↵|b↵   inserts "x↵"   so they are proposed
//   at the end of the line before a|↵b↵   inserts "↵x"   so they are shown: nothing is pushed aside, and the cursor ends
//                                                        behind them
import type { LongText } from '../../documents/long-text.ts';
import { changesOf, type TextEdit } from './text-edit.ts';

/** An edit that inserts whole lines above a line, at the end of the line before; any other edit as it is. */
export function atLineBefore(edit: TextEdit, text: string): TextEdit {
  return edit.text.endsWith('\n') ? movedBefore(edit, text) : edit;
}

/** The opposite of atLineBefore(). The text may also have Windows line breaks. */
export function aboveNextLine(edit: TextEdit, text: Pick<LongText, 'slice'>): TextEdit {
  const { start, end, text: inserted } = edit;
  const [lineBreak = ''] = /^\r?\n/.exec(inserted) ?? [];
  const at = start + lineBreak.length;
  const isBelow = start === end && lineBreak !== '' && text.slice(start, at) === lineBreak;
  return isBelow ? { start: at, end: at, text: inserted.slice(lineBreak.length) + lineBreak } : edit;
}

/**
 * The edit's changes as they are shown: inserted lines begin with their line break wherever that comes to the same. So
 * ";↵b" inserted before the ";" of "a;" becomes "↵b;" inserted behind it.
 */
export function shownChanges(edit: TextEdit, text: string): TextEdit[] {
  const changes = changesOf(edit, text);
  return changes.map((change, i) => {
    const { start, end, text: inserted } = change;
    const [earliest, latest] = [changes[i - 1]?.end ?? edit.start, changes[i + 1]?.start ?? edit.end];
    const length = inserted.indexOf('\n');
    const head = inserted.slice(0, length);
    const at = start + length;
    const canFollow = start === end && length > 0 && at <= latest && text.startsWith(head, start);
    if (canFollow) return { start: at, end: at, text: inserted.slice(length) + head };
    const before = movedBefore(change, text);
    return before.start >= earliest ? before : change;
  });
}

/** An insertion of lines that ends where the indentation of a line ends, at the end of the line before. */
function movedBefore(edit: TextEdit, text: string): TextEdit {
  const { start, end, text: inserted } = edit;
  const lastBreak = inserted.lastIndexOf('\n');
  const indentation = inserted.slice(lastBreak + 1);
  const at = start - indentation.length - 1;
  const canMove = start === end && lastBreak !== -1 && at >= 0 && text.slice(at, start) === `\n${indentation}`;
  return canMove ? { start: at, end: at, text: `\n${indentation}${inserted.slice(0, lastBreak)}` } : edit;
}
