// A part of a document that was changed, by one edit or several: where it is now, and what was there before.
import type { LongText } from '../../documents/long-text.ts';
import { commonEnds, type TextEdit } from '../text/text-edit.ts';

export interface ChangedRegion {
  /** The text before the first change. The region was there from baseStart to baseEnd. */
  base: LongText;
  baseStart: number;
  baseEnd: number;
  /** Where it is in the current text. */
  start: number;
  end: number;
}

// A longer region takes no more changes: it is new text rather than changed text.
const maxLines = 20;

/** The region that an edit replaces, before that edit is applied. */
export function begin(base: LongText, { start, end }: TextEdit): ChangedRegion {
  return { base, baseStart: start, baseEnd: end, start, end };
}

/** Widens the region so that it contains the edit. The text between the two must be unchanged since `base`. */
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

/** The region after an edit inside it. */
export function applied(region: ChangedRegion, edit: TextEdit): ChangedRegion {
  return { ...region, end: region.end + edit.text.length - (edit.end - edit.start) };
}

/** Whether the edit is at most `lines` lines away from the region; false if the region is too long. */
export function touches(region: ChangedRegion, edit: TextEdit, text: LongText, lines: number): boolean {
  const [first, last] = [text.lineAt(region.start), text.lineAt(region.end)];
  if (last - first >= maxLines) return false;
  return text.lineAt(edit.start) <= last + lines && text.lineAt(edit.end) >= first - lines;
}

/**
 * The region's whole lines as they were and as they are, without the lines at the beginning and the end that are the
 * same in both. They are joined with "\n", whatever the document has. line: where they begin in the text.
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
