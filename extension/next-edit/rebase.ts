// Where an offered edit is after the document has changed, and what is left of it.
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';

/** All that applying the edit changes. */
export function allChanges({ changes, also = [] }: NextEdit): readonly Change[] {
  return [...changes, ...also];
}

/** A change of a document; the range is that before any change of the same event. */
export type Change = NextEdit['changes'][number];
type Span = Change['range'];
type Position = Span['start'];

/**
 * Null if the change contradicts the edit, or if nothing is left to do. Typing what the edit says shortens it.
 * version: of the document after the changes.
 */
export function rebased(edit: NextEdit, changes: readonly Change[], version: number): NextEdit | null {
  let result: NextEdit | null = edit;
  // From the end of the document on, so that no change moves one that is still to come.
  for (const change of changes.toSorted((a, b) => compare(b.range.start, a.range.start)))
    result = result && withOthers(afterOne(result, change), change);
  return result && { ...result, version };
}

/** The other lines are no longer what they were if one of them was changed: then the edit is offered alone. */
function withOthers(edit: NextEdit | null, by: Change): NextEdit | null {
  if (!edit?.also) return edit;
  const { also, ...alone } = edit;
  if (also.some(({ range: { start, end } }) => touchesLine(by, start.line) || touchesLine(by, end.line))) return alone;
  const isBehind = ({ start }: Span) => compare(start, by.range.end) >= 0;
  return {
    ...edit,
    also: also.map((change) => (isBehind(change.range) ? { ...change, range: movedSpan(change.range, by) } : change)),
  };
}

/** Whether the change is in this line. */
export function touchesLine({ range }: Change, line: number): boolean {
  return range.start.line <= line && line <= range.end.line;
}

function afterOne(edit: NextEdit, change: Change): NextEdit | null {
  const [only, ...others] = edit.changes;
  if (compare(change.range.start, edit.range.end) > 0) return edit;
  if (only && others.length === 0 && isTypedAlong(only, change)) return shortened(edit, only, change);
  return isAbove(change, edit.range.start) ? moved(edit, change) : null;
}

/** Whether it writes the beginning of what the edit writes, over what the edit replaces. */
function isTypedAlong(only: Change, { range: { start, end }, text }: Change): boolean {
  const isInside = compare(start, only.range.start) === 0 && compare(end, only.range.end) <= 0;
  return isInside && unixText(only.text).startsWith(unixText(text));
}

/** Whether it only moves the lines from this one on. */
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
  const left = { start: endOf(written), end: positionAfter(only.range.end, written) };
  const text = unixText(only.text).slice(unixText(written.text).length);
  if (text === '' && compare(left.start, left.end) === 0) return null;
  return {
    ...edit,
    oldText: edit.oldText.slice(0, offsetIn(edit, start)) + written.text + edit.oldText.slice(offsetIn(edit, end)),
    range: { start: edit.range.start, end: positionAfter(edit.range.end, written) },
    changes: [{ range: left, text }],
  };
}

/** Of a position in the old text. */
function offsetIn({ range: { start }, oldText }: NextEdit, { line, character }: Position): number {
  const above = oldText.split('\n').slice(0, line - start.line);
  return above.reduce(
    (sum, { length }) => sum + length + 1,
    above.length === 0 ? character - start.character : character,
  );
}

/** Where a position behind a change is after it. */
function positionAfter({ line, character }: Position, change: Change): Position {
  const { end } = change.range;
  const now = endOf(change);
  const isInLine = line === end.line;
  return {
    line: line + now.line - end.line,
    character: isInLine ? character + now.character - end.character : character,
  };
}

/** Behind what it has written. */
function endOf({ range: { start }, text }: Change): Position {
  const [first = '', ...others] = text.split('\n');
  const last = others.at(-1);
  const character = last === undefined ? start.character + first.length : last.length;
  return { line: start.line + others.length, character };
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** An edit may end its lines otherwise than the document does. */
function unixText(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
