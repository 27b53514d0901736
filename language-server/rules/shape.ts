// Turns the model's text into ghost text by the rules, each of which cuts the text. A rule that leaves nothing gives the
// reason. A new rule is a row of `rules` below.
import type { RuleReason } from '../protocol/reasons.ts';
import { closesItself, missingClosers } from './closers.ts';
import { addsCommaAlone, withoutTrailingComma } from './commas.ts';
import { type Gate, likelyLines } from './confidence.ts';
import type { GeneratedText } from './generated-text.ts';
import { depthOf, reindented } from './indentation.ts';
import { lacksOperand } from './line-ends.ts';
import { meaningfulEnd } from './meaningful-end.ts';
import type { Place } from './place.ts';
import { mayRepeat, repeatedLine, repeatedWords, repetitionStart, standsBeside } from './repetition.ts';
import { type Fit, fitRest, isPastRest } from './rest-of-line.ts';
import { beginsStatement, isHalfDeclaration, isUnfinished, mayStandAlone } from './statements.ts';
import { extentEnd, surplusCloser } from './stop-rules.ts';
import { surplusTag } from './surplus-tag.ts';
import { commentEnd, conflictMarker, inventedLink, specialToken, tagName } from './unwanted.ts';
import { completeBeginning, fragmentStart } from './whole.ts';

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

/** Returns where the rule cuts the text; text.length if it does not. */
type Rule = (text: string, place: Place, generated: GeneratedText) => number;

export const rules: readonly (readonly [RuleReason, Rule])[] = [
  ['special-token', specialToken],
  ['conflict-marker', conflictMarker],
  ['repeats-itself', repetitionStart],
  ['leaves-block', extentEnd],
  ['closes-too-much', surplusCloser],
  ['closes-too-much', commentEnd],
  ['closes-too-much', tagName],
  ['closes-too-much', surplusTag],
  ['repeats-line', repeatedLine],
  ['invents-link', inventedLink],
];

/** Where the rules cut the text, with the reason if they leave nothing of it. */
function ruledEnd(generated: GeneratedText, place: Place): { end: number; reason: RuleReason | null } {
  let end = generated.text.length;
  // If the model has not ended its text, generation was stopped because the text was too unlikely.
  if (generated.text.trim() === '') return { end: 0, reason: generated.isEnded ? 'model-wrote-nothing' : 'unsure' };
  for (const [reason, rule] of rules) {
    end = rule(generated.text.slice(0, end), place, generated);
    if (generated.text.slice(0, end).trim() === '') return { end: 0, reason };
  }
  return { end, reason: null };
}

export function toGhostText(generated: GeneratedText, place: Place, gate: Gate): GhostText {
  const { end, reason } = ruledEnd(generated, place);
  if (reason !== null) return nothing(reason);
  const isCut = end < generated.text.length;
  if (place.around.lineSuffix.trim() !== '') return inLine(generated, end, place, gate, generated.isEnded);
  // If the token limit ended the text, its last line is incomplete.
  const lastLine = isCut || generated.isEnded ? end : generated.text.slice(0, end).lastIndexOf('\n');
  const wholeLines = likelyLines(generated, Math.max(0, lastLine), gate);
  const likely = wholeLines || begunLine(generated, end, place, gate);
  if (likely === 0) return nothing(generated.probabilityTo(end) < gate.line ? 'unsure' : 'cut-off');
  // The rule against repeated lines has seen the whole line, or none that may still go on, but not this piece of it.
  const begun = place.around.linePrefix + generated.text.slice(0, likely);
  if (wholeLines === 0 && standsBeside(begun, place)) return nothing('repeats-line');
  const kept = fragmentStart(generated.text.slice(0, likely), place);
  if (kept === 0) return nothing('fragment');
  // The token limit cuts off what is likely to come. What the gate cuts off is missing, so no block is closed behind it.
  const isWhole = wholeLines > 0 && generated.probabilityTo(end) >= gate.line;
  const shown = isWhole ? wholeText(generated, kept, place) : beginning(generated, kept, place);
  if (shown === null) return nothing('unsure');
  return worthShowing(shown);
}

/**
 * What can be shown of a text that is still growing: only what stays the same whatever follows. 'enough' if nothing
 * that follows could be shown, so that generation can stop.
 */
export function toEarlyText(generated: GeneratedText, place: Place, gate: Gate): Suggestion | 'enough' | null {
  const { text } = generated;
  const isRuled = text.trim() !== '' && ruledEnd(generated, place).end < text.length;
  if (isRuled || isPastRest(text, place) || generated.probabilityTo(text.length) < gate.line) return 'enough';
  const isInLine = place.around.lineSuffix.trim() !== '' || place.replaces > 0;
  if (isInLine) return null;
  const wholeLines = text.slice(0, text.lastIndexOf('\n') + 1);
  if (wholeLines.trim() === '') {
    const end = begunLine(generated, settledEnd(text, place), place, gate);
    return end === 0 || mayRepeat(text, place) ? null : suggestion(generated, end, place, '', 0);
  }
  const likely = likelyLines(generated, wholeLines.trimEnd().length, gate);
  const kept = fragmentStart(text.slice(0, likely), place);
  const end = completeBeginning(text.slice(0, kept), place);
  return end === 0 ? null : suggestion(generated, end, place, '', 0);
}

/** The end of the likely beginning of a line; it leaves nothing open. */
function begunLine(generated: GeneratedText, end: number, place: Place, gate: Gate): number {
  const likely = meaningfulEnd(generated.text, Math.min(end, generated.likelyTo(gate.beginning)), place);
  const piece = generated.text.slice(0, likely);
  if (beginsStatement(place) && !mayStandAlone(piece, place)) return 0;
  const complete = completeBeginning(withoutBodyStart(piece, place), place);
  return isHalfDeclaration(piece.slice(0, complete), place) ? 0 : complete;
}

/** Without what may become `; then` or `do |each|`, where blocks have such heads. */
function withoutBodyStart(piece: string, { language, within }: Place): string {
  const hasHeads = language.family === 'ends' && within !== 'comment';
  const head = hasHeads ? /(?<!\s)\s*(?:;\s*\w*|\sdo\b[^\n]*)$/.exec(piece) : null;
  return head ? piece.slice(0, head.index) : piece;
}

/** Where text begins that may turn out to be a special token, a made-up address or a repetition. */
function settledEnd(text: string, { within }: Place): number {
  const token = text.lastIndexOf('<|');
  const settled = token === -1 ? text : text.slice(0, token);
  return within === 'comment' ? settled.search(/(?<!\S)\S*$/) : repeatedWords(settled, 2);
}

function inLine(generated: GeneratedText, end: number, place: Place, gate: Gate, isEnded: boolean): GhostText {
  const text = generated.text.slice(0, end);
  const fit = fitRest(text, place, isEnded);
  const isLikely = typeof fit !== 'string' && generated.probabilityTo(fit.end) >= gate.line;
  if (isLikely && !isHalf(generated, fit.end, place)) return fitted(generated, fit, place);
  // Several lines that do not fit or are not likely: perhaps the first one alone.
  const newline = text.trimEnd().indexOf('\n');
  if (text.slice(0, newline + 1).trim() !== '') return inLine(generated, newline, place, gate, false);
  if (typeof fit === 'string') return nothing(generated.probabilityTo(end) >= gate.line ? fit : 'unsure');
  const begun = fitRest(text.slice(0, begunLine(generated, fit.end, place, gate)), place, false);
  return typeof begun === 'string' ? nothing('unsure') : fitted(generated, begun, place);
}

/** Whether the text ends, by itself or at the token limit, before it has come to what stands right of the cursor. */
function isHalf(generated: GeneratedText, end: number, place: Place): boolean {
  const isCutOff = !generated.isEnded && end >= generated.text.trimEnd().length && place.within === 'code';
  const text = generated.text.slice(0, end);
  const isOpen = place.language.family === 'ends' && missingClosers(text, place) !== '';
  return isCutOff || isOpen || lacksOperand(text, place);
}

function fitted(generated: GeneratedText, { end, replaces, tail }: Fit, place: Place): GhostText {
  const { linePrefix, lineSuffix } = place.around;
  const line = linePrefix + generated.text.slice(0, end) + tail + lineSuffix.slice(replaces);
  if (standsBeside(line, place)) return nothing('repeats-line');
  const shown = suggestion(generated, end, place, tail, replaces);
  return addsCommaAlone(shown, place) ? nothing('fragment') : worthShowing(shown);
}

/** All that a text had may have been a comma that is not allowed before a closing bracket. */
function worthShowing(shown: Suggestion): GhostText {
  return shown.text.trim() === '' ? nothing('fragment') : { suggestion: shown, reason: null };
}

/** The whole text, with what closes the blocks that it leaves open and the one that it stands in. */
function wholeText(generated: GeneratedText, end: number, place: Place): Suggestion | null {
  const text = generated.text.slice(0, end);
  const isSingleLine = !text.trim().includes('\n');
  const closers = missingClosers(text, place);
  if (closers === null || (isSingleLine && closers !== '') || isUnfinished(text, place))
    return beginning(generated, end, place);
  const tail = place.replaces === 0 && closesItself(text, place) ? '' : place.tail;
  return suggestion(generated, end, place, closers + tail, place.replaces);
}

/**
 * The complete statements at the beginning of a text that goes on. It closes no block, unless the closer stands right of
 * the cursor already: then null if there is no complete statement.
 */
function beginning(generated: GeneratedText, end: number, place: Place): Suggestion | null {
  const complete = completeBeginning(generated.text.slice(0, end), place);
  if (place.replaces === 0) return suggestion(generated, complete, place, '', 0);
  const isLine = /^[ \t]*(\n|$)/.test(generated.text.slice(complete));
  return isLine && complete > 0 ? suggestion(generated, complete, place, place.tail, place.replaces) : null;
}

function suggestion(generated: GeneratedText, end: number, place: Place, tail: string, replaces: number): Suggestion {
  const raw = generated.text.slice(0, end);
  // A trailing space is kept if a word follows in the same line.
  const text = /^[\s)\],;]|^$/.test(place.around.lineSuffix) ? raw.trimEnd() : raw;
  const body = withoutSurplusEnd(place.lineBreak === '' ? text : text.replace(/^\s*\n\s*/, ''), tail, place);
  return {
    text: place.lineBreak + reindented(withoutTrailingComma(body, tail, replaces, place), place.unit) + tail,
    replaces,
    probability: generated.probabilityTo(end),
  };
}

/** Nothing ends a statement whose call goes on in the line below. */
function withoutSurplusEnd(text: string, tail: string, { around, language }: Place): string {
  const [below = ''] = around.linesBelow;
  const last = text.includes('\n') ? text.slice(text.lastIndexOf('\n') + 1) : around.linePrefix + text;
  const isBelowHead = /^\s*\./.test(last) || depthOf(below) > depthOf(last);
  const goesOn = language.family === 'brackets' && isBelowHead && /^\s*\??\.[a-z]\w*\(/i.test(below);
  return goesOn && tail === '' && around.lineSuffix === '' ? text.replace(/;$/, '') : text;
}

function nothing(reason: RuleReason): GhostText {
  return { suggestion: null, reason };
}

/** Without those that differ from an earlier one only in white space. */
export function distinct(suggestions: Suggestion[]): Suggestion[] {
  const essence = ({ text }: Suggestion) => text.replace(/\s/g, '');
  return suggestions.filter((each, i) => suggestions.findIndex((other) => essence(other) === essence(each)) === i);
}
