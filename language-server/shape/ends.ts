// Where a text may end: at the end of any of its lines, or after a token of its first line, if it is likely enough up
// to there.
import type { Gate } from './confidence.ts';
import type { GeneratedText } from './generated-text.ts';
import { filledLines } from './indentation.ts';
import type { Place } from './place.ts';

export interface End {
  at: number;
  /** Whether `at` is the end of a line of the text, rather than inside one. */
  isLine: boolean;
  /** How many characters after the cursor a text with this end replaces. */
  replaces: number;
  /** What is inserted after a text with this end. */
  tail: string;
}

const minChars = 4;
/** Matches as much of the first line that is not blank as is searched for tokens, and what is above it. */
const firstLine = /^\s*.{0,600}/;
const maxEnds = 60;
const token = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;
// Matches texts that may end there: not after most operators and opening brackets.
const meaningful = /[\p{L}\p{M}\p{N}_)\]}"'`;/?!:]$|[\w"'/]>$/u;
const openingQuote = /(?:^|[\s([{=,:])["'`]$/;

/** The ends of the lines in text[0, end), the best one first. */
export function lineEnds(generated: GeneratedText, end: number, gate: Gate, { extent, tail, replaces }: Place): End[] {
  const ends: End[] = [];
  for (const { text, begin } of filledLines(generated.text.slice(0, end))) {
    const at = begin + text.trimEnd().length;
    if (generated.probabilityTo(at) < gate.line) break;
    ends.push({ at, isLine: true, tail, replaces });
  }
  // Most statements have one line, so later lines come last unless they pass the gate for a beginning.
  const likely = ends.slice(0, maxEnds);
  const threshold = extent === 'statement' ? gate.beginning : gate.line;
  const sure = likely.filter((end) => generated.probabilityTo(end.at) >= threshold);
  return [...sure.reverse(), ...likely.slice(sure.length)];
}

/**
 * The ends of the tokens of the first line that is not blank, the last one first. None if the text replaces the rest of
 * the cursor's line, which only a whole line can.
 */
export function tokenEnds(generated: GeneratedText, end: number, gate: Gate, { around, replaces }: Place): End[] {
  if (replaces > 0) return [];
  const [line = ''] = firstLine.exec(generated.text.slice(0, end)) ?? [];
  const ends: End[] = [];
  for (const { 0: found, index } of line.matchAll(token)) {
    const at = index + found.length;
    const piece = line.slice(0, at);
    // A word at the end of a growing text may grow.
    if (/[\p{L}\p{M}\p{N}_]$/u.test(piece) && generated.mayGrow(piece)) break;
    // The colon of a label completes it, so the probability of the colon itself does not matter.
    if (generated.probabilityTo(found === ':' ? index : at) < gate.beginning) break;
    const isWord = meaningful.test(piece) && !openingQuote.test(around.linePrefix + piece);
    if (piece.trim().length >= minChars && isWord) ends.push({ at, isLine: false, tail: '', replaces });
  }
  return ends.slice(0, maxEnds).reverse();
}
