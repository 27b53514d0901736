// Turns the model's text into ghost text: policy cuts it, and we show the longest beginning of what is left that leaves
// the document as sound as it was.
import type { RuleReason } from '../protocol/reasons.ts';
import { treeOf } from '../syntax/trees.ts';
import type { Gate } from './confidence.ts';
import { closersOnly, OpenDelimiters } from './delimiters.ts';
import { type End, lineEnds, tokenEnds } from './ends.ts';
import type { GeneratedText } from './generated-text.ts';
import type { Tried } from './piece.ts';
import type { Place } from './place.ts';
import { policyEnd, settledEnd } from './policy.ts';
import { mayRepeat } from './repetition.ts';
import { endsBeforeRest, isPastRest } from './rest-of-line.ts';
import { lacksValue, Shaping } from './shaping.ts';

/** A text that can be shown as ghost text. */
export interface Suggestion {
  /** Inserted at the cursor; lines end in "\n". */
  text: string;
  /** How many UTF-16 units after the cursor the text replaces. */
  replaces: number;
  /** Joint probability of the shown text under the model, from 0 to 1. */
  probability: number;
}

export type GhostText = { suggestion: Suggestion; reason: null } | { suggestion: null; reason: RuleReason };

export function toGhostText(generated: GeneratedText, place: Place, gate: Gate): GhostText {
  const { end, reason } = policyEnd(generated, place);
  if (reason !== null) return nothing(reason);
  const text = generated.text.slice(0, end);
  const isInLine = place.around.lineSuffix.trim() !== '';
  const isEnded = generated.isEnded || end < generated.text.length;
  const found = isInLine ? endsBeforeRest(text, place, isEnded) : [];
  if (typeof found === 'string') return nothing(found);
  // If the token limit ended the text, its last line is incomplete.
  const lines = isInLine
    ? found.filter(({ at }) => generated.probabilityTo(at) >= gate.line)
    : lineEnds(generated, isEnded ? end : Math.max(0, text.lastIndexOf('\n')), gate, place);
  const hasTokens = !isInLine || closersOnly.test(place.around.lineSuffix);
  const ends = [...lines, ...(hasTokens ? tokenEnds(generated, end, gate, place) : [])];
  if (ends.length === 0) return nothing('unsure');
  const isAllLikely = generated.probabilityTo(end) >= gate.beginning;
  const shaping = new Shaping(place, generated.text, text, isAllLikely);
  // Before the rest of a line, the best end may be that of a blank text.
  const closable = ends.find(({ at }) => text.slice(0, at).trim() !== '');
  // Several statements are shown if they make a broken document sound.
  let exceeding: Suggestion | null = null;
  for (const end of ends) {
    if (exceeding && !end.isLine) break;
    const tried = shaping.upTo(end, end === closable || !end.isLine);
    if (tried.verdict === 'repeats-line') return nothing('repeats-line');
    if (tried.verdict === 'no-time') return nothing('unsure');
    if (tried.verdict === 'exceeds') exceeding ??= suggestionOf(tried, end, generated);
    const fit = tried.verdict === 'fits' ? tried : shaping.beginningUpTo(end);
    if (fit) return { suggestion: suggestionOf(fit, end, generated), reason: null };
  }
  if (exceeding) return { suggestion: exceeding, reason: null };
  if (lines.length === 0 && !isAllLikely) return nothing('unsure');
  if (isInLine)
    return nothing(
      place.within === 'code' && OpenDelimiters.in(text).brackets !== '' ? 'leaves-bracket-open' : 'does-not-fit-rest',
    );
  return nothing(/^\s*(?:[)\]}]|<\/)/.test(text) ? 'closes-too-much' : 'fragment');
}

/**
 * What can be shown of a text that is still growing. It may only end where the whole text may end later, so that it is
 * a beginning of what will be shown then. 'enough': nothing that follows could be shown, so generation can stop. tried:
 * the ends at which the text failed in earlier calls; this call adds its own.
 */
export function toEarlyText(
  generated: GeneratedText,
  place: Place,
  gate: Gate,
  tried: Set<number> = new Set(),
): Suggestion | 'enough' | null {
  const { text } = generated;
  const isCutByPolicy = text.trim() !== '' && policyEnd(generated, place).end < text.length;
  if (isCutByPolicy || isPastRest(text, place) || generated.probabilityTo(text.length) < gate.line) return 'enough';
  const isInLine = place.around.lineSuffix.trim() !== '';
  const shaping = new Shaping(place, text, text, false);
  for (const end of isInLine ? endsPastClosers(text, place) : earlyEnds(generated, place, gate)) {
    if (tried.has(end.at)) continue;
    const shown = shaping.upTo(end, false);
    if (shown.verdict === 'no-time') return null;
    if (shown.verdict === 'many' || shown.verdict === 'exceeds') return 'enough';
    if (shown.verdict === 'fits') return isInLine ? 'enough' : suggestionOf(shown, end, generated);
    tried.add(end.at);
  }
  return null;
}

function suggestionOf({ text, replaces }: Tried, { at }: End, generated: GeneratedText): Suggestion {
  return { text, replaces, probability: generated.probabilityTo(at) };
}

/** Where the text may end although it still grows. */
function earlyEnds(generated: GeneratedText, place: Place, gate: Gate): End[] {
  const { text } = generated;
  if (place.replaces > 0) return [];
  const lines = lineEnds(generated, text.lastIndexOf('\n') + 1, gate, place);
  if (lines.length > 0 || mayRepeat(text, place)) return lines;
  return tokenEnds(generated, settledEnd(text, place), gate, place).filter(({ at }) => isSettled(text, at, place));
}

/**
 * Where the text may end because it has repeated the closers to the right of the cursor and goes on after them. If it
 * fits up to there, no more of it is needed.
 */
function endsPastClosers(text: string, place: Place): End[] {
  const rest = place.around.lineSuffix.trim();
  const found = closersOnly.test(rest) ? endsBeforeRest(text, place, false) : [];
  return typeof found === 'string' ? [] : found.filter(({ at }) => text.length - at > rest.length);
}

/** Whether the text is a whole statement that no further line can continue. early: what can be shown of it. */
export function endsStatement({ text }: GeneratedText, place: Place, early: Suggestion): boolean {
  if (place.extent !== 'statement' || !text.endsWith('\n')) return false;
  if (!early.text.endsWith(text.trim().split('\n').at(-1) ?? '')) return false;
  const heads = treeOf(place.code)?.grammar.heads;
  const isLine = heads && !heads.test(text) && place.open.length === 0 && !text.trim().includes('\n');
  return isLine || /;\s*$|\n[ \t]*\n$/.test(text);
}

/** Whether the text may end at `at` whatever the model writes next. */
function isSettled(text: string, at: number, place: Place): boolean {
  const piece = text.slice(0, at);
  const isName = !/[)\]};"'`]$/.test(piece) || lacksValue(piece, ' =', place);
  return !isName || /^\s*(?:[^\s:=]|\S[\s\S])|\n/.test(text.slice(at));
}

function nothing(reason: RuleReason): GhostText {
  return { suggestion: null, reason };
}

/** Drops suggestions that differ from an earlier one only in white space. */
export function distinct(suggestions: Suggestion[]): Suggestion[] {
  const essence = ({ text }: Suggestion) => text.replace(/\s/g, '');
  return suggestions.filter((each, i) => suggestions.findIndex((other) => essence(other) === essence(each)) === i);
}
