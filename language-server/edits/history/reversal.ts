// Tells whether an edit would undo one of the user's last edits.
import { changesOf, type PastEdit, type TextEdit } from '../text/text-edit.ts';

const minRevertedShare = 0.5;

/** Whether more than half of the edit's changed characters revert one past edit. */
export function undoes(edit: TextEdit, text: string, history: readonly PastEdit[]): boolean {
  const size = sizeOf(changesOf(edit, text));
  if (size === 0) return false;
  return history.some(({ before, after }) => {
    const inverses = placesOf(after, text, edit).map((at) => ({ start: at, end: at + after.length, text: before }));
    if (after.trim() === '') return before.trim() !== '' && insertedBy(text, edit).includes(before.trim());
    return inverses.some(
      (inverse) => charsInCommon(changesOf(edit, text), changesOf(inverse, text)) / size > minRevertedShare,
    );
  });
}

/** The offsets where the text has the past edit's text `after` and the edit overlaps or touches it. */
function placesOf(after: string, text: string, edit: TextEdit): number[] {
  const places: number[] = [];
  if (after.trim() === '') return places;
  const first = Math.max(0, edit.start - after.length);
  for (let at = text.indexOf(after, first); at !== -1 && at <= edit.end; at = text.indexOf(after, at + 1))
    places.push(at);
  return places;
}

function insertedBy(text: string, edit: TextEdit): string {
  return changesOf(edit, text)
    .map((change) => change.text)
    .join('\n');
}

/** The number of characters that both delete, and of those that both insert at the same place. */
function charsInCommon(changes: TextEdit[], others: TextEdit[]): number {
  let common = 0;
  for (const change of changes)
    for (const other of others) {
      common += Math.max(0, Math.min(change.end, other.end) - Math.max(change.start, other.start));
      if (change.start <= other.end && other.start <= change.end && change.text === other.text)
        common += change.text.length;
    }
  return common;
}

function sizeOf(changes: TextEdit[]): number {
  return changes.reduce((sum, { start, end, text }) => sum + end - start + text.length, 0);
}
