// Decides whether the text up to one of its possible ends can be shown, and with which closers.
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { treeOf } from '../syntax/trees.ts';
import type { End } from './ends.ts';
import type { GeneratedText } from './generated-text.ts';
import { indentationOf } from './indentation.ts';
import { bodyOf, fitsWith, type Outcome, tryPiece, type Wanted } from './piece.ts';
import type { Place } from './place.ts';
import { endsList, fitsPlainly } from './plain.ts';
import { repeatsNeighbour } from './repetition.ts';

/** A text that can be shown as ghost text. */
export interface Suggestion {
  /** Inserted at the cursor; lines end in "\n". */
  text: string;
  /** How many UTF-16 units after the cursor the text replaces. */
  replaces: number;
  /** Joint probability of the shown text under the model, from 0 to 1. */
  probability: number;
}

/** The context of shownUpTo(), which is the same for all ends of a text. */
export interface Shaping {
  place: Place;
  generated: GeneratedText;
  /** Whether the whole text passes the gate for the beginning of a line, so that the gate cuts nothing off. */
  isAllLikely: boolean;
  /** The only end at which closers for open blocks may be added; null: none. */
  closable: End | null;
}

/** What can be shown up to one end. exceeds: as in Outcome. */
export interface Shown {
  suggestion: Suggestion;
  exceeds: boolean;
}

/** Why nothing is shown. 'many': it is more than the place allows; 'no-time': the parser took too long. */
export type Refusal = 'repeats-line' | 'many' | 'no-time' | 'unfit';

/** The suggestion that shows the text up to one end, or why that cannot be shown. */
export function shownUpTo(end: End, shaping: Shaping): Shown | Refusal {
  const { place, generated, isAllLikely } = shaping;
  const { around } = place;
  const raw = generated.text.slice(0, end.at);
  const following = generated.text.slice(end.at);
  const tree = treeOf(place.code);
  if (!end.isLine && lacksValue(raw, following, place, tree)) return 'unfit';
  const probability = generated.probabilityTo(end.at);
  const { isLine } = end;
  const mayClose = end === shaping.closable;
  for (const piece of piecesTo(end, raw, place, tree)) {
    const line = around.linePrefix + piece + around.lineSuffix.slice(end.replaces ?? 0);
    if (repeatsNeighbour(line, place)) return 'repeats-line';
    for (const { tail, replaces } of closings(end, piece, place, isAllLikely)) {
      const wanted = { piece, tail, replaces, isAllLikely, mayClose, isLine };
      const outcome = tree ? tryPiece(place, tree, wanted) : plainOutcome(wanted, place);
      if (outcome === 'unfit') continue;
      if (typeof outcome === 'string') return outcome;
      const { shown: text, exceeds } = outcome;
      return { suggestion: { text, replaces, probability }, exceeds };
    }
    if (tree && isHead(piece, following, place, tree))
      return { suggestion: { text: bodyOf(piece, place), replaces: 0, probability }, exceeds: false };
  }
  return 'unfit';
}

/** The variants to try: the text as it is, without a comma or semicolon at its end, and with a comma. */
function piecesTo({ isLine }: End, raw: string, place: Place, tree: SyntaxTree | null): string[] {
  const lastComma = tree?.grammar.lastComma ?? 'refused';
  const bare = raw.replace(/[,;]$/, '');
  const mayLackComma = lastComma === 'wanted' && bare.trim() !== '';
  const pieces = isLine ? [raw, bare, ...(mayLackComma ? [`${bare},`] : [])] : [raw];
  return [...new Set(pieces)].filter((piece) => {
    const isRefused = lastComma === 'refused' && endsList(piece, place.around);
    return piece.trim() !== '' && !isOnlyPunctuation(piece, place) && !isRefused;
  });
}

/** The outcome without a tree. */
function plainOutcome({ piece, tail, isLine }: Wanted, place: Place): Outcome {
  const fits = place.within !== 'code' || fitsPlainly(piece, isLine, place.around);
  return fits ? { shown: bodyOf(piece, place) + tail, exceeds: false } : 'unfit';
}

/**
 * Whether the piece is the head of a block that fits once it gets a body. Then its line is shown alone. following: the
 * text after it.
 */
function isHead(piece: string, following: string, place: Place, tree: SyntaxTree): boolean {
  const { kind, extent, within, around, unit } = place;
  const isBegun = extent === 'line' || around.linePrefix.trim() !== '';
  if (kind !== 'code' || !isBegun || within !== 'code' || around.lineSuffix !== '') return false;
  const { heads, statement } = tree.grammar;
  const tail = /^\s*\{/.test(following)
    ? ' {}'
    : heads?.test(piece)
      ? `\n${indentationOf(around.linePrefix)}${unit}${statement}`
      : '';
  return tail !== '' && fitsWith(place, tree, piece, tail, true);
}

/**
 * What may be inserted after a piece: the closing lines of the place, or nothing if the piece may contain them itself.
 */
function closings(end: End, piece: string, place: Place, isAllLikely: boolean): { tail: string; replaces: number }[] {
  const bare = { tail: '', replaces: 0 };
  if (end.tail !== undefined) return [{ tail: end.tail, replaces: end.replaces ?? 0 }];
  const { tail, replaces } = place;
  if (tail === '') return [bare];
  if (!end.isLine || (replaces === 0 && !isAllLikely)) return replaces > 0 ? [] : [bare];
  const both = [
    { tail, replaces },
    { tail: '', replaces },
  ];
  return piece.trimEnd().endsWith(tail.trim()) ? both.reverse() : both;
}

/** Whether the piece is incomplete without the `=`, `:` or `=>` that follows it, such as `const x` before ` = 1`. */
export function lacksValue(piece: string, following: string, { around }: Place, tree: SyntaxTree | null): boolean {
  // What precedes an arrow is parameters.
  if (/^\s*=>/.test(following)) return true;
  if (!/^(?::(?!:)|\s*(?::=|=(?!=)))/.test(following)) return false;
  const typedPart = /\w*$/.exec(around.linePrefix)?.[0] ?? '';
  return (typedPart + piece).match(/\w+/g)?.some((word) => tree?.keywords.has(word)) ?? false;
}

/** Whether the piece is a line of its own with nothing but punctuation, which is not worth showing. */
function isOnlyPunctuation(piece: string, { around, lineBreak, textAround }: Place): boolean {
  if (piece.trim() === textAround.closer) return false;
  if (lineBreak !== '' && /^\s*[)\]}]/.test(piece)) return true;
  if (/[\p{L}\p{N}]/u.test(piece) || around.linePrefix.trim() !== '') return false;
  return !/[)\]}]/.test(piece);
}
