// A part of a document that was changed, by one edit or several: where it is now, and what was there before.
import type { LongText } from '../../documents/long-text.ts';
import { commonEnds, type TextEdit } from '../text/text-edit.ts';

export interface ChangedRegion {
  /** The text before the first change, in which the region was at these offsets. */
  base: LongText;
  baseStart: number;
  baseEnd: number;
  /** Where it is in the current text. */
  start: number;
  end: number;
}

// What somebody writes anew goes on and on, and does not say what was changed.
const maxLines = 20;

/** An empty region at the edit, which is still to be applied. */
export function begin(base: LongText, { start, end }: TextEdit): ChangedRegion {
  return { base, baseStart: start, baseEnd: end, start, end };
}

/** The region, made so wide that it contains the edit; the text between the two must not have been changed. */
export function widened(region: ChangedRegion, { start, end }: TextEdit): ChangedRegion {
  const before = Math.max(0, region.start - start);
  const behind = Math.max(0, end - region.end);
  return {
    base: region.base,
    baseStart: region.baseStart - before,
    baseEnd: region.baseEnd + behind,
    start: region.start - before,
    end: region.end + behind,
  };
}

/** After an edit inside the region. */
export function applied(region: ChangedRegion, edit: TextEdit): ChangedRegion {
  return { ...region, end: region.end + edit.text.length - (edit.end - edit.start) };
}

/** Whether the edit is in a line of the region, or within so many lines of it. */
export function touches(region: ChangedRegion, edit: TextEdit, text: LongText, lines: number): boolean {
  const [first, last] = [text.lineAt(region.start), text.lineAt(region.end)];
  if (last - first >= maxLines) return false;
  return text.lineAt(edit.start) <= last + lines && text.lineAt(edit.end) >= first - lines;
}

/**
 * The whole lines of the region before and after, without those that both have at their beginning and their end; with
 * "\n" between them, whatever the document has; and where they begin in the text.
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
