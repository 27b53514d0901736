// Where an offered edit is after the document has changed, and what is left of it.
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';

export interface Position {
  line: number;
  character: number;
}

export interface Span {
  start: Position;
  end: Position;
}

/** A change of a document; the range is that before any change of the same event. */
export interface Change {
  range: Span;
  text: string;
}

/**
 * Null if the change contradicts the edit, or if nothing is left to do. Typing what the edit says shortens it.
 * version: of the document after the changes.
 */
export function rebased(edit: NextEdit, changes: readonly Change[], version: number): NextEdit | null {
  let result: NextEdit | null = edit;
  // From the end of the document on, so that no change moves one that is still to come.
  for (const change of changes.toSorted((a, b) => compare(b.range.start, a.range.start)))
    result = result && afterOne(result, change);
  return result && { ...result, version };
}

/** Whether the change is in this line. */
export function touchesLine({ range }: Change, line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

function afterOne(edit: NextEdit, change: Change): NextEdit | null {
  const { start, end } = change.range;
  if (compare(start, edit.range.end) > 0) return edit;
  if (isAbove(change, edit.range.start)) return moved(edit, lineBreaks(change.text) - (end.line - start.line));
  return typedAlong(edit, change);
}

/** Whether it only moves the lines from this one on. */
function isAbove({ range: { start, end }, text }: Change, { line }: Position): boolean {
  if (end.line < line) return true;
  return end.line === line && end.character === 0 && (text === '' ? start.character === 0 : text.endsWith('\n'));
}

function moved(edit: NextEdit, lines: number): NextEdit {
  const down = ({ line, character }: Position) => ({ line: line + lines, character });
  const span = ({ start, end }: Span) => ({ start: down(start), end: down(end) });
  return {
    ...edit,
    range: span(edit.range),
    changes: edit.changes.map((change) => ({ ...change, range: span(change.range) })),
  };
}

/** The user writes over what the edit would replace. Only where it is one change within a line. */
function typedAlong(edit: NextEdit, { range: { start, end }, text }: Change): NextEdit | null {
  const [only, ...others] = edit.changes;
  const { range } = edit;
  const lines = [range.start, range.end, start, end].map(({ line }) => line);
  if (!only || others.length > 0 || lines.some((line) => line !== range.start.line)) return null;
  const { line } = range.start;
  const [from, to] = [only.range.start.character, only.range.end.character];
  const isInside = start.character === from && end.character <= to;
  if (!isInside || !only.text.startsWith(text)) return null;
  const rest = only.text.slice(text.length);
  const left = to - end.character;
  if (rest === '' && left === 0) return null;
  const at = (character: number) => ({ line, character });
  const grown = text.length - (end.character - start.character);
  const begin = start.character - range.start.character;
  return {
    ...edit,
    oldText: edit.oldText.slice(0, begin) + text + edit.oldText.slice(end.character - range.start.character),
    range: { start: range.start, end: at(range.end.character + grown) },
    changes: [{ range: { start: at(from + text.length), end: at(from + text.length + left) }, text: rest }],
  };
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
