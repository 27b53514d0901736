// Adapts an offered edit to changes of the document: moves it, and shortens it by what the user has typed of it.
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';

/** The changes at the edit's own place and those in other lines of the document. */
export function allChanges({ changes, also: otherChanges = [] }: NextEdit): readonly Change[] {
  return [...changes, ...otherChanges];
}

/** A change of a document. The range is where the text was before all changes of the same event. */
export type Change = NextEdit['changes'][number];
type Span = Change['range'];
type Position = Span['start'];

/**
 * The edit after the changes. Typing what the edit says shortens it. Null if a change contradicts the edit, or if
 * nothing is left to do. version: the document's version after the changes.
 */
export function rebased(edit: NextEdit, changes: readonly Change[], version: number): NextEdit | null {
  let result: NextEdit | null = edit;
  // The last change comes first, so that no change moves one that is still to come.
  for (const change of changes.toSorted((a, b) => compare(b.range.start, a.range.start)))
    result = result && withOtherChanges(afterOne(result, change), change);
  return result && { ...result, version };
}

/** Moves the edit's other changes. If one of their lines was touched, the edit loses them and is offered alone. */
function withOtherChanges(edit: NextEdit | null, by: Change): NextEdit | null {
  if (!edit?.also) return edit;
  const { also: others, ...alone } = edit;
  const isTouched = ({ range: { start, end } }: Change) => touchesLine(by, start.line) || touchesLine(by, end.line);
  if (others.some(isTouched)) return alone;
  const isAfter = ({ start }: Span) => compare(start, by.range.end) >= 0;
  const also = others.map((other) => (isAfter(other.range) ? { ...other, range: movedSpan(other.range, by) } : other));
  return { ...edit, also };
}

/** Whether the change replaces text in this line. */
export function touchesLine({ range }: Change, line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

/** The edit after one change, without regard to its other changes. */
function afterOne(edit: NextEdit, change: Change): NextEdit | null {
  const [only, ...others] = edit.changes;
  if (compare(change.range.start, edit.range.end) > 0) return edit;
  if (only && others.length === 0 && isTypedAlong(only, change)) return shortened(edit, only, change);
  return isAbove(change, edit.range.start) ? moved(edit, change) : null;
}

/** Whether the user's change writes the beginning of the edit's only change, at the same place. */
function isTypedAlong(only: Change, { range: { start, end }, text }: Change): boolean {
  const isInside = compare(start, only.range.start) === 0 && compare(end, only.range.end) <= 0;
  return isInside && unixText(only.text).startsWith(unixText(text));
}

/** Whether the change only moves the position's line and those below it. */
function isAbove({ range: { start, end }, text }: Change, { line }: Position): boolean {
  if (end.line < line) return true;
  return end.line === line && end.character === 0 && (text === '' ? start.character === 0 : text.endsWith('\n'));
}

function moved(edit: NextEdit, by: Change): NextEdit {
  const changes = edit.changes.map((change) => ({ ...change, range: movedSpan(change.range, by) }));
  return { ...edit, range: movedSpan(edit.range, by), changes };
}

function movedSpan({ start, end }: Span, by: Change): Span {
  return { start: positionAfter(start, by), end: positionAfter(end, by) };
}

/** What is left of an edit when the beginning of its only change has been written. */
function shortened(edit: NextEdit, only: Change, written: Change): NextEdit | null {
  const { start, end } = written.range;
  const left = { start: writtenEnd(written), end: positionAfter(only.range.end, written) };
  const text = unixText(only.text).slice(unixText(written.text).length);
  if (text === '' && compare(left.start, left.end) === 0) return null;
  return {
    ...edit,
    oldText: edit.oldText.slice(0, offsetIn(edit, start)) + written.text + edit.oldText.slice(offsetIn(edit, end)),
    range: { start: edit.range.start, end: positionAfter(edit.range.end, written) },
    changes: [{ range: left, text }],
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

/** Where a position that follows the changed text is after the change. */
function positionAfter({ line, character }: Position, change: Change): Position {
  const { end } = change.range;
  const now = writtenEnd(change);
  const isInLine = line === end.line;
  return {
    line: line + now.line - end.line,
    character: isInLine ? character + now.character - end.character : character,
  };
}

/** Where the text that the change has written ends. */
function writtenEnd({ range: { start }, text }: Change): Position {
  const [first = '', ...others] = text.split('\n');
  const last = others.at(-1);
  const character = last === undefined ? start.character + first.length : last.length;
  return { line: start.line + others.length, character };
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Edit and document might use different line endings. */
function unixText(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
