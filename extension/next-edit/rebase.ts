// Adapts an offered edit to changes of the document: moves it, and drops the part of it that the user has typed.
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';

/** The edit's changes at its own place, and its changes in other lines of the document. */
export function allChanges({ changes, otherChanges = [] }: NextEdit): readonly Change[] {
  return [...changes, ...otherChanges];
}

/** A change of a document. If an event has several changes, all their ranges refer to the document before the event. */
export type Change = NextEdit['changes'][number];
type Span = Change['range'];
type Position = Span['start'];

/**
 * The edit after the changes of one event. If the user has typed the beginning of the edit, only the rest remains. Null
 * if a change contradicts the edit, or if nothing remains. version: that of the document after the changes.
 */
export function rebased(edit: NextEdit, changes: readonly Change[], version: number): NextEdit | null {
  let result: NextEdit | null = edit;
  // The last change in the document comes first, so that no change moves one that is still to be applied.
  for (const change of changes.toSorted((a, b) => compare(b.range.start, a.range.start)))
    result = result && withOtherChanges(afterOne(result, change), change);
  return result && { ...result, version };
}

/**
 * Moves the edit's changes in other lines. If `applied` touches one of these lines, only the change at the edit's own
 * place remains.
 */
function withOtherChanges(edit: NextEdit | null, applied: Change): NextEdit | null {
  if (!edit?.otherChanges) return edit;
  const { otherChanges: before, ...editAlone } = edit;
  const isTouched = ({ range: { start, end } }: Change) =>
    touchesLine(applied, start.line) || touchesLine(applied, end.line);
  if (before.some(isTouched)) return editAlone;
  const isAfter = ({ start }: Span) => compare(start, applied.range.end) >= 0;
  const otherChanges = before.map((other) =>
    isAfter(other.range) ? { ...other, range: movedSpan(other.range, applied) } : other,
  );
  return { ...edit, otherChanges };
}

/** Whether the change replaces text in this line. */
export function touchesLine({ range }: Change, line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

/** Adapts the edit's changes at its own place to a change of the document; null if the change contradicts the edit. */
function afterOne(edit: NextEdit, change: Change): NextEdit | null {
  const [only, ...furtherChanges] = edit.changes;
  if (compare(change.range.start, edit.range.end) > 0) return edit;
  if (only && furtherChanges.length === 0 && writesBeginning(only, change)) return shortened(edit, only, change);
  return onlyMovesLine(change, edit.range.start) ? moved(edit, change) : null;
}

/** Whether the user's change writes the beginning of the edit's only change, at the same place. */
function writesBeginning(only: Change, { range: { start, end }, text }: Change): boolean {
  const isInside = compare(start, only.range.start) === 0 && compare(end, only.range.end) <= 0;
  return isInside && unixText(only.text).startsWith(unixText(text));
}

/** Whether the change leaves the position's line as it is, except that it may move the line up or down. */
function onlyMovesLine({ range: { start, end }, text }: Change, { line }: Position): boolean {
  if (end.line < line) return true;
  return end.line === line && end.character === 0 && (text === '' ? start.character === 0 : text.endsWith('\n'));
}

function moved(edit: NextEdit, applied: Change): NextEdit {
  const changes = edit.changes.map((change) => ({ ...change, range: movedSpan(change.range, applied) }));
  return { ...edit, range: movedSpan(edit.range, applied), changes };
}

function movedSpan({ start, end }: Span, applied: Change): Span {
  return { start: positionAfter(start, applied), end: positionAfter(end, applied) };
}

/** The rest of an edit after the user has written the beginning of its only change; null if nothing remains. */
function shortened(edit: NextEdit, only: Change, written: Change): NextEdit | null {
  const { start, end } = written.range;
  const remaining = { start: writtenEnd(written), end: positionAfter(only.range.end, written) };
  const text = unixText(only.text).slice(unixText(written.text).length);
  if (text === '' && compare(remaining.start, remaining.end) === 0) return null;
  return {
    ...edit,
    oldText: edit.oldText.slice(0, offsetIn(edit, start)) + written.text + edit.oldText.slice(offsetIn(edit, end)),
    range: { start: edit.range.start, end: positionAfter(edit.range.end, written) },
    changes: [{ range: remaining, text }],
  };
}

/** The offset of a position in the edit's old text. */
function offsetIn({ range: { start }, oldText }: NextEdit, { line, character }: Position): number {
  const above = oldText.split('\n').slice(0, line - start.line);
  return above.reduce(
    (sum, { length }) => sum + length + 1,
    above.length === 0 ? character - start.character : character,
  );
}

/** The position after the change. Before the change, it must not be before the end of the replaced text. */
function positionAfter({ line, character }: Position, change: Change): Position {
  const { end } = change.range;
  const newEnd = writtenEnd(change);
  const isInLine = line === end.line;
  return {
    line: line + newEnd.line - end.line,
    character: isInLine ? character + newEnd.character - end.character : character,
  };
}

/** The end of the text that the change has written. */
function writtenEnd({ range: { start }, text }: Change): Position {
  const [first = '', ...others] = text.split('\n');
  const last = others.at(-1);
  const character = last === undefined ? start.character + first.length : last.length;
  return { line: start.line + others.length, character };
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** The text with "\n" as its line endings, which may differ between the edit and the document. */
function unixText(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
