// Rules that hold in every language. Each cuts the text somewhere, or leaves it as it is; the first that leaves nothing
// gives the reason.
import type { RuleReason } from '../protocol/reasons.ts';
import { treeOf } from '../syntax/trees.ts';
import type { GeneratedText } from './generated-text.ts';
import { depthOf, filledLines } from './indentation.ts';
import type { Place } from './place.ts';
import { plainEnd } from './plain.ts';
import { repeatedLine, repeatedWords, repetitionStart } from './repetition.ts';
import { commentEnd, conflictMarker, inventedLink, specialToken } from './unwanted.ts';

/** Returns where the rule cuts the text; text.length if it does not. */
type Rule = (text: string, place: Place, generated: GeneratedText) => number;

export const rules: readonly (readonly [RuleReason, Rule])[] = [
  ['special-token', specialToken],
  ['conflict-marker', conflictMarker],
  ['repeats-itself', repetitionStart],
  ['leaves-block', extentEnd],
  ['closes-too-much', commentEnd],
  ['repeats-line', repeatedLine],
  ['invents-link', inventedLink],
];

/** A suggestion has at most this many lines. */
const maxLines = 12;

/** Where the rules cut the text, with the reason if they leave nothing of it. */
export function policyEnd(generated: GeneratedText, place: Place): { end: number; reason: RuleReason | null } {
  let end = generated.text.length;
  // If the model has not ended its text, generation was stopped because the text was too unlikely.
  if (generated.text.trim() === '') return { end: 0, reason: generated.isEnded ? 'model-wrote-nothing' : 'unsure' };
  for (const [reason, rule] of rules) {
    end = rule(generated.text.slice(0, end), place, generated);
    if (generated.text.slice(0, end).trim() === '') return { end: 0, reason };
  }
  return { end, reason: null };
}

/**
 * How much of a growing text is certain to stay: what follows may turn out to be a special token, an address or a
 * repetition.
 */
export function settledEnd(text: string, { within }: Place): number {
  const token = text.lastIndexOf('<|');
  const settled = token === -1 ? text : text.slice(0, token);
  return within === 'comment' ? settled.search(/(?<!\S)\S*$/) : repeatedWords(settled, 2);
}

/** Where the text leaves the lines that the place allows. */
function extentEnd(text: string, place: Place, generated: GeneratedText): number {
  const { around, extent } = place;
  if (leavesBlock(text, place, generated)) return 0;
  if (extent === 'line') {
    // If the text begins with a line break, perhaps after a comma, it may have the whole next line.
    const begin = around.lineSuffix === '' ? text.search(/(?!,\s*\n)\S/) : 0;
    const newline = begin === -1 ? -1 : text.indexOf('\n', begin);
    return newline === -1 ? text.length : newline;
  }
  if (!treeOf(place.code)) return plainEnd(text, place.code.languageId);
  return filledLines(text)[maxLines - 1]?.end ?? text.length;
}

/**
 * Whether the cursor is on a blank line and the first line of the text leaves its block: it is below and indented less
 * than the cursor, in data it returns to the deeper block above, or it closes a block whose body is below the cursor.
 */
function leavesBlock(text: string, place: Place, generated: GeneratedText): boolean {
  const { linePrefix, linesAbove, linesBelow } = place.around;
  const [first] = filledLines(text);
  if (first === undefined || linePrefix.trim() !== '') return false;
  const depth = depthOf(linePrefix);
  if (text.slice(0, first.begin).includes('\n')) return depthOf(first.text) < depth;
  // In data, the user has left the deeper block above.
  if (place.kind === 'data' && depthOf(linesAbove[0] ?? '') > depth && depthOf(first.text) > 0) return true;
  if (depthOf(linesBelow[0] ?? '') <= depth) return false;
  const { closers = [] } = treeOf(place.code)?.grammar ?? {};
  const line = first.text.trim();
  // While a word grows, it may become another one: "fi" may become "file".
  const [word = ''] = /^\w+/.exec(line) ?? [];
  const isGrowing = word === line && first.end === text.length && generated.mayGrow(text);
  const isCloser = !isGrowing && closers.includes(word);
  return isCloser || /^(?:\}|<\/)/.test(line);
}
