// Merges many changes into one edit. When a word is replaced everywhere, the editor sends one change for each place.
// Made one after the other, 100,000 of them would block the server for seconds.
import type { Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import type { LongText } from './long-text.ts';

export interface Edit {
  start: number;
  end: number;
  text: string;
}

const minChanges = 100;

/**
 * The one edit that has the effect of all changes. null: there are few, or they are not in the order in which editors
 * send them, from the last place in the document to the first.
 */
export function mergedEdit(text: LongText, changes: readonly TextDocumentContentChangeEvent[]): Edit | null {
  if (changes.length < minChanges) return null;
  const whole = text.toString();
  const offsetAt = offsetsIn(whole);
  const edits: Edit[] = [];
  for (const change of changes) {
    if (!('range' in change)) return null;
    const [start, end] = [offsetAt(change.range.start), offsetAt(change.range.end)];
    // Each change refers to the text that the previous one has left. Up to the start of the previous change, that text
    // is unchanged, so positions can be looked up in the first text, unless a "\r" there could join a new "\n".
    const isBefore = start <= end && end <= (edits.at(-1)?.start ?? whole.length);
    if (!isBefore || whole[start - 1] === '\r') return null;
    edits.push({ start, end, text: change.text });
  }
  edits.reverse();
  const start = edits[0]?.start ?? 0;
  let [merged, at] = ['', start];
  for (const each of edits) {
    merged += whole.slice(at, each.start) + each.text;
    at = each.end;
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
