// Merges many changes into one edit. When a word is replaced everywhere, the editor sends a change for each place, and
// 100,000 changes, one after the other, would block the server for seconds.
import type { Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import type { LongText } from './long-text.ts';

export interface Edit {
  start: number;
  end: number;
  text: string;
}

const minChanges = 100;

/**
 * One edit with the effect of all changes. Null if there are few changes, or if they do not come in the usual order of
 * editors: from the last place in the document to the first.
 */
export function mergedEdit(text: LongText, changes: readonly TextDocumentContentChangeEvent[]): Edit | null {
  if (changes.length < minChanges) return null;
  const whole = text.toString();
  const offsetAt = offsetsIn(whole);
  const edits: Edit[] = [];
  for (const change of changes) {
    if (!('range' in change)) return null;
    const [start, end] = [offsetAt(change.range.start), offsetAt(change.range.end)];
    // Each change refers to the text after the previous one. Above the previous change, this text is still the first
    // text, so positions can be looked up there, unless a "\r" could join a new "\n".
    const isBefore = start <= end && end <= (edits.at(-1)?.start ?? whole.length);
    if (!isBefore || whole[start - 1] === '\r') return null;
    edits.push({ start, end, text: change.text });
  }
  edits.reverse();
  const start = edits[0]?.start ?? 0;
  let [merged, at] = ['', start];
  for (const edit of edits) {
    merged += whole.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return { start, end: at, text: merged };
}

/** A function from positions to offsets. It returns NaN for a position that does not exist. */
function offsetsIn(text: string): (position: Position) => number {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: found, index }) => index + found.length)];
  return ({ line, character }) => {
    const offset = (starts[line] ?? Number.NaN) + character;
    const next = starts[line + 1] ?? text.length + 1;
    return character >= 0 && Number.isInteger(offset) && offset < next && text[offset - 1] !== '\r'
      ? offset
      : Number.NaN;
  };
}
