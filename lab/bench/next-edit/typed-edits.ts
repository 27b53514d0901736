// Turns a case's past edits into keys: undoes the edits, and types them again one after another.
import { changesOf, type TextEdit } from '../../../language-server/edits/text/text-edit.ts';
import type { Edit, Position, Trace } from '../../tools/trace.ts';
import type { NextEditCase } from './next-edit-case.ts';

export interface TypedEdits {
  trace: Trace;
  /** The indices of the keys that end an edit. */
  ends: number[];
}

/** Undefined if an edit's new text does not occur exactly once in the file, or if an edit replaces a line break. */
export function typedEdits({ path, text, history }: NextEditCase): TypedEdits | undefined {
  const past: TextEdit[] = [];
  let before = text;
  for (const edit of history.toReversed()) {
    const start = before.indexOf(edit.after);
    if (edit.path !== path || edit.after.trim() === '' || start === -1 || before.indexOf(edit.after, start + 1) !== -1)
      return undefined;
    past.unshift({ start, end: start + edit.before.length, text: edit.after });
    before = before.slice(0, start) + edit.before + before.slice(start + edit.after.length);
  }
  const edits: Edit[] = [];
  const ends: number[] = [];
  let current = before;
  for (const edit of past) {
    let moved = 0;
    for (const change of changesOf(edit, current)) {
      const at = { ...change, start: change.start + moved, end: change.end + moved };
      if (current.slice(at.start, at.end).includes('\n')) return undefined;
      edits.push(...keysOf(at, current));
      current = current.slice(0, at.start) + at.text + current.slice(at.end);
      moved += at.text.length - (at.end - at.start);
    }
    ends.push(edits.length - 1);
  }
  return { trace: { name: path.split('/').at(-1) ?? path, text: before, edits }, ends };
}

/** The keys that type the edit. The first one also replaces the old text. */
function keysOf({ start, end, text: typed }: TextEdit, text: string): Edit[] {
  const keys = typed === '' ? [''] : [...typed];
  let { line, character } = positionAt(text, start);
  return keys.map((insert, i) => {
    const edit = { line, character, insert, behind: 0, deleted: i === 0 ? end - start : 0, atMs: 0 };
    if (insert === '\n') [line, character] = [line + 1, 0];
    else character += insert.length;
    return edit;
  });
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}
