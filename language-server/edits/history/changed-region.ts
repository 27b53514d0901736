// A part of a document that one or several edits have changed: where it is now, and its text before.
import type { LongText } from '../../documents/long-text.ts';
import { commonEnds, type TextEdit } from '../text/text-edit.ts';

export interface ChangedRegion {
  /** The document's text before the first change, with the offsets of the region in it. */
  base: LongText;
  baseStart: number;
  baseEnd: number;
  /** The offsets of the region in the current text. */
  start: number;
  end: number;
}

// A region of this many lines takes no more changes: its text is new rather than changed.
const maxLines = 20;

/** The region that an edit will replace. base: the text before the edit. */
export function begin(base: LongText, { start, end }: TextEdit): ChangedRegion {
  return { base, baseStart: start, baseEnd: end, start, end };
}

/** Widens the region to contain an edit that follows. The text between the two must be unchanged since `base`. */
export function widened(region: ChangedRegion, { start, end }: TextEdit): ChangedRegion {
  const before = Math.max(0, region.start - start);
  const after = Math.max(0, end - region.end);
  return {
    base: region.base,
    baseStart: region.baseStart - before,
    baseEnd: region.baseEnd + after,
    start: region.start - before,
    end: region.end + after,
  };
}

/** The region after an edit within it is applied. */
export function applied(region: ChangedRegion, edit: TextEdit): ChangedRegion {
  return { ...region, end: region.end + edit.text.length - (edit.end - edit.start) };
}

/** Whether the edit is at most `lines` lines away from the region; false if the region takes no more changes. */
export function touches(region: ChangedRegion, edit: TextEdit, text: LongText, lines: number): boolean {
  const [first, last] = [text.lineAt(region.start), text.lineAt(region.end)];
  if (last - first >= maxLines) return false;
  return text.lineAt(edit.start) <= last + lines && text.lineAt(edit.end) >= first - lines;
}

/**
 * The region's whole lines before and after, joined with "\n", without the first and the last lines that are the same
 * in both. line: the line of the text where they begin.
 */
export function linesOf({ base, baseStart, baseEnd, start, end }: ChangedRegion, text: LongText) {
  const before = wholeLines(base, baseStart, baseEnd);
  const after = wholeLines(text, start, end);
  const { head, tail } = commonEnds(before, after);
  const trimmed = (lines: string[]) => lines.slice(head, lines.length - tail).join('\n');
  return { before: trimmed(before), after: trimmed(after), line: text.lineAt(start) + head };
}

function wholeLines(text: LongText, start: number, end: number): string[] {
  const last = text.lineAt(end);
  const lineEnd = last + 1 < text.lineCount ? text.lineStart(last + 1) : text.length;
  return text
    .slice(text.lineStart(text.lineAt(start)), lineEnd)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}
