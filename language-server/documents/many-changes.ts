// Replacing a word everywhere comes as one change for each place. Made one after the other, 100,000 of them take seconds,
// in which the server answers nobody.
import type { Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import type { LongText } from './long-text.ts';

export interface Edit {
  start: number;
  end: number;
  text: string;
}

const minChanges = 100;

/** The one edit that does what all changes do, if there are many, from the last place to the first, as editors send them. */
export function atOnce(text: LongText, changes: readonly TextDocumentContentChangeEvent[]): Edit | null {
  if (changes.length < minChanges) return null;
  const whole = text.toString();
  const offsetAt = offsetsIn(whole);
  const edits: Edit[] = [];
  for (const change of changes) {
    if (!('range' in change)) return null;
    const [start, end] = [offsetAt(change.range.start), offsetAt(change.range.end)];
    // The next change is made in the text that this one leaves, which is the same up to its start, unless the lines
    // before are cut otherwise then.
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

/** NaN for positions that there are not. */
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
