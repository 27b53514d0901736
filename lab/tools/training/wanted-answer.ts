// The text that a model should write at a place: as much of the author's text as the server would show, and nothing
// where the author wrote nothing. null: the place teaches nothing.
import { GeneratedText } from '../../../language-server/shape/generated-text.ts';
import type { Place } from '../../../language-server/shape/place.ts';
import { toGhostText } from '../../../language-server/shape/shape.ts';
import { commonPrefixLength } from '../statistics.ts';

// The rules see at most this much of the author's text.
const maxChars = 1200;
const gate = { line: 0, beginning: 0 };

/**
 * middle: the author's text. closers: the brackets right of the cursor that the prompt leaves out and the model must
 * write.
 */
export function wantedAnswer(place: Place, middle: string, closers: string): string | null {
  const { lineBreak, around } = place;
  if (!middle.startsWith(lineBreak)) return null;
  const own = middle.slice(lineBreak.length) + closers;
  if (own.trim() === '') return own;
  if (lineBreak === '' && closers === '' && around.lineSuffix.trim() !== '') return own;
  const text = own.slice(0, maxChars);
  const generated = new GeneratedText(text.length === own.length);
  for (const piece of text.match(/[^\n]*\n|[^\n]+/g) ?? []) generated.append(piece, 0);
  const { suggestion } = toGhostText(generated, place, gate);
  if (!suggestion) return middle.trim() === '' ? own : null;
  const shown = suggestion.text.slice(suggestion.text.startsWith(lineBreak) ? lineBreak.length : 0);
  const end = commonPrefixLength(shown, own);
  return upToLineEnd(own, end);
}

/** The text up to the end of the line that contains `end`, if only punctuation remains in that line; otherwise null. */
function upToLineEnd(text: string, end: number): string | null {
  const [rest = ''] = /^[^\n]*/.exec(text.slice(end)) ?? [];
  if (/[\p{L}\p{N}"'`]/u.test(rest) || text.slice(0, end).trim() === '') return null;
  return text.slice(0, end + rest.length).trimEnd();
}
