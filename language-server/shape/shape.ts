// Turns the model's text into ghost text: policy cuts it, and of what is left the longest piece is shown with which the
// document is as sound as without it.
import type { RuleReason } from '../protocol/reasons.ts';
import { Beginnings } from './beginnings.ts';
import type { Gate } from './confidence.ts';
import { type End, lineEnds, tokenEnds } from './ends.ts';
import type { GeneratedText } from './generated-text.ts';
import { OpenSigns } from './mend.ts';
import { type Place, treeAt } from './place.ts';
import { ruledEnd, settledEnd } from './policy.ts';
import { mayRepeat } from './repetition.ts';
import { cuts, isPastRest } from './rest-of-line.ts';
import { lacksValue, type Shaping, type Suggestion, shownTo } from './shown.ts';
import { closersOnly } from './signs.ts';

export type { Suggestion };

export type GhostText = { suggestion: Suggestion; reason: null } | { suggestion: null; reason: RuleReason };

export function toGhostText(generated: GeneratedText, place: Place, gate: Gate): GhostText {
  const { end, reason } = ruledEnd(generated, place);
  if (reason !== null) return nothing(reason);
  const text = generated.text.slice(0, end);
  const isInLine = place.around.lineSuffix.trim() !== '';
  const isEnded = generated.isEnded || end < generated.text.length;
  // What the grammar does not judge goes on to the rest, or ends by itself.
  const found = isInLine ? cuts(text, place, place.within === 'code' ? isEnded : generated.isEnded) : [];
  if (typeof found === 'string') return nothing(found);
  // If the token limit ended the text, its last line is incomplete.
  const lines = isInLine
    ? found.filter(({ at }) => generated.probabilityTo(at) >= gate.line)
    : lineEnds(generated, isEnded ? end : Math.max(0, text.lastIndexOf('\n')), gate, place);
  const hasTokens = !isInLine || closersOnly.test(place.around.lineSuffix);
  const ends = [...lines, ...(hasTokens ? tokenEnds(generated, end, gate, place) : [])];
  if (ends.length === 0) return nothing('unsure');
  const isWhole = generated.probabilityTo(end) >= gate.beginning;
  const shaping = { place, generated, isWhole, closable: isWhole ? (ends[0] ?? null) : null };
  const beginnings = new Beginnings(text, generated, place);
  for (const group of [lines, ends.slice(lines.length)]) {
    const crowded: End[] = [];
    for (const each of group) {
      const shown = shownTo(each, shaping);
      if (shown === 'repeats-line') return nothing(shown);
      if (shown === 'no-time') return nothing('unsure');
      if (typeof shown !== 'string') return { suggestion: shown, reason: null };
      if (shown === 'many') crowded.push(each);
      const begun = each.isLine ? null : beginnings.to(each);
      if (begun) return { suggestion: begun, reason: null };
    }
    for (const each of crowded) {
      const shown = shownTo(each, { ...shaping, mayMend: true });
      if (typeof shown !== 'string') return { suggestion: shown, reason: null };
    }
  }
  if (lines.length === 0 && !isWhole) return nothing('unsure');
  if (isInLine)
    return nothing(
      place.within === 'code' && OpenSigns.in(text).brackets !== '' ? 'leaves-bracket-open' : 'does-not-fit-rest',
    );
  return nothing(/^\s*(?:[)\]}]|<\/)/.test(text) ? 'closes-too-much' : 'fragment');
}

/**
 * What can be shown of a text that is still growing: of the ends that the whole text will have, the last one up to which it
 * is shown as it is. 'enough' if nothing that follows could be shown, so that generation can stop. tried: the ends up to
 * which nothing could be shown before; new ones are added.
 */
export function toEarlyText(
  generated: GeneratedText,
  place: Place,
  gate: Gate,
  tried: Set<number> = new Set(),
): Suggestion | 'enough' | null {
  const { text } = generated;
  const isRuled = text.trim() !== '' && ruledEnd(generated, place).end < text.length;
  if (isRuled || isPastRest(text, place) || generated.probabilityTo(text.length) < gate.line) return 'enough';
  const shaping = { place, generated, isWhole: false, closable: null };
  const rest = place.around.lineSuffix.trim();
  if (rest !== '') return isPastClosers(text, rest, shaping, tried) ? 'enough' : null;
  if (place.replaces > 0) return null;
  const lines = lineEnds(generated, text.lastIndexOf('\n') + 1, gate, place);
  const mayShow = lines.length === 0 && !mayRepeat(text, place);
  const tokens = mayShow ? tokenEnds(generated, settledEnd(text, place), gate, place) : [];
  for (const end of [...lines, ...tokens.filter(({ at }) => isSettled(text, at, place))]) {
    if (tried.has(end.at)) continue;
    const shown = shownTo(end, shaping);
    if (shown === 'many') return 'enough';
    if (shown === 'no-time') return null;
    if (typeof shown !== 'string') return shown;
    tried.add(end.at);
  }
  return null;
}

/** Whether a text that can be shown to the end of its last line is a statement with which no further line goes on. */
export function endsStatement({ text }: GeneratedText, place: Place, early: Suggestion): boolean {
  if (place.extent !== 'statement' || !text.endsWith('\n')) return false;
  if (!early.text.endsWith(text.trim().split('\n').at(-1) ?? '')) return false;
  const heads = treeAt(place)?.grammar.heads;
  const isLine = heads && !heads.test(text) && place.open.length === 0 && !text.trim().includes('\n');
  return isLine || /;\s*$|\n[ \t]*\n$/.test(text);
}

/** Whether what follows a token is known, which tells whether the text may end there, or does not matter. */
function isSettled(text: string, at: number, place: Place): boolean {
  const piece = text.slice(0, at);
  const isName = !/[)\]};"'`]$/.test(piece) || lacksValue(piece, ' =', place, treeAt(place));
  return !isName || /^\s*(?:[^\s:=]|\S[\s\S])|\n/.test(text.slice(at));
}

/** Whether the text has closed what the closers right of the cursor close, and goes on behind them. */
function isPastClosers(text: string, rest: string, shaping: Shaping, tried: Set<number>): boolean {
  const { place } = shaping;
  const found = closersOnly.test(rest) ? cuts(text, place, false) : [];
  if (typeof found === 'string') return false;
  for (const end of found) {
    if (tried.has(end.at) || text.length - end.at <= rest.length) continue;
    const isBlank = text.slice(0, end.at).trim() === '';
    const isWhole = isBlank
      ? place.within !== 'comment' && text.trim().startsWith(rest)
      : typeof shownTo(end, shaping) !== 'string';
    if (isWhole) return true;
    tried.add(end.at);
  }
  return false;
}

function nothing(reason: RuleReason): GhostText {
  return { suggestion: null, reason };
}

/** Without those that differ from an earlier one only in white space. */
export function distinct(suggestions: Suggestion[]): Suggestion[] {
  const essence = ({ text }: Suggestion) => text.replace(/\s/g, '');
  return suggestions.filter((each, i) => suggestions.findIndex((other) => essence(other) === essence(each)) === i);
}
