// From the model's text to ghost text: pure functions that cut what the document already has.

import type { Settings } from '../protocol.ts';
import { closers, closingIndex } from './closing-bracket.ts';
import { allowsSeveralLines, completionEnd } from './stop-rules.ts';
import type { Surroundings } from './text-window.ts';

/** Why there is no ghost text. */
export type EmptyReason = 'model-wrote-nothing' | 'repeats-next-line' | 'nothing-to-add';

export type GhostText = { text: string; reason: null } | { text: null; reason: EmptyReason };

export function toGhostText(
  raw: string,
  around: Surroundings,
  languageId: string,
  multiline: Settings['completion.multiline'],
): GhostText {
  const severalLines = allowsSeveralLines(around, languageId, multiline);
  if (raw.trim() === '') return { text: null, reason: 'model-wrote-nothing' };
  const ended = raw.slice(0, completionEnd(raw, around, languageId, severalLines));
  const trimmed = trimOverlap(ended, around.lineSuffix).trimEnd();
  if (trimmed === '') return { text: null, reason: 'nothing-to-add' };
  const kept = trimRepeatedLines(trimmed, around).trimEnd();
  return kept === '' ? { text: null, reason: 'repeats-next-line' } : { text: kept, reason: null };
}

/** Cuts what the text has in common with the rest of the cursor's line, which stays right of it. */
export function trimOverlap(text: string, lineSuffix: string): string {
  const rest = lineSuffix.trim();
  if (rest === '') return text;
  if (closers.includes(rest.charAt(0))) {
    const closed = closingIndex(text, rest.charAt(0));
    return closed === -1 ? text : text.slice(0, closed);
  }
  const found = rest.length > 1 ? text.indexOf(rest) : -1;
  if (found !== -1) return text.slice(0, found);
  const written = text.trimEnd();
  return written.slice(0, written.length - sharedLength(written, rest));
}

/** Length of the longest end of the text with which the rest begins; a word counts whole or not at all. */
function sharedLength(text: string, rest: string): number {
  for (let length = Math.min(text.length, rest.length); length > 0; length--) {
    const at = text.length - length;
    const splitsWord = /\w\w/.test(text.slice(at - 1, at + 1)) || /\w\w/.test(rest.slice(length - 1, length + 1));
    if (!splitsWord && text.endsWith(rest.slice(0, length))) return length;
  }
  return 0;
}

// A line equal to the next one in the document, indentation included, means that the model has caught up with it.
function trimRepeatedLines(text: string, around: Surroundings): string {
  if (around.lineSuffix !== '' || around.lineBelow === '') return text;
  const lines = text.split('\n');
  const repeated = lines.findIndex((line, i) => {
    const whole = i === 0 ? around.linePrefix + line : line;
    return whole.trimEnd() === around.lineBelow;
  });
  return repeated === -1 ? text : lines.slice(0, repeated).join('\n');
}
