// Completion in the middle of a line. The text is shown only if it forms a proper line with the text after the cursor,
// the rest. The rest is kept, unless the text repeats it with additions; then it is replaced.
import type { Misfit } from '../protocol/reasons.ts';
import { indentationOf } from './indentation.ts';
import { hasTags } from './languages.ts';
import { inWord } from './meaningful-end.ts';
import type { Place } from './place.ts';
import { closerFor, closersOnly, type Open, type Scan, Scanner, scan } from './scanner.ts';

export interface Fit {
  /** Where the text is cut. */
  end: number;
  /** The number of characters of the rest that the text replaces. */
  replaces: number;
  /** Closes brackets that the text leaves open. */
  tail: string;
}

const operandStart = /^["'`\w!~$@]/;
const operandEnd = /(?:[\w)\]}"'`?!*&]|\+\+|--|\.\.\.)$/;
const connectorEnd =
  /(?:[=+\-*/%<>&|^!?:,.([]|\b(?:return|await|new|in|of|not|and|or|else|typeof|const|let|var|case|yield|throw|async|export|static))\s*$/;
const token = /\w+|=>|->|::|&&|\|\||\?\.|[=!<>]=+|[^\w\s]/g;
const connectorWord = /^\s+(?:as|in|of|if|else|is|and|or|instanceof|not|from|for|where)\b/;

/** isEnded: the model itself ended the text, so it meant the rest to follow. */
export function fitRest(text: string, place: Place, isEnded: boolean): Fit | Misfit {
  const rest = place.around.lineSuffix;
  const closes = closersOnly.test(rest) && !isUnopened(rest, place);
  const fit = closes ? fitClosers(text, rest, place, isEnded) : fitCode(text, rest, place, isEnded);
  if (typeof fit === 'string') return fit;
  return text.slice(0, fit.end).trim() === '' ? 'nothing-to-add' : fit;
}

/** Whether the rest begins with a closing bracket that nothing has opened, so that the text must. */
function isUnopened(rest: string, { language, open, surplus }: Place): boolean {
  return surplus.length > 0 && scan(rest, language, open).outer[0]?.closes === null;
}

/** Whether the text already contains the rest, so that generation can stop. */
export function isPastRest(text: string, place: Place): boolean {
  const rest = place.around.lineSuffix.trim();
  if (!closersOnly.test(rest)) return rest.length > 1 && text.includes(rest);
  const first = firstCloser(text, place);
  return first !== undefined && text.length - first.at > rest.length;
}

/** For a rest of closing brackets and quotes only: the text ends where it would close them itself. */
function fitClosers(text: string, rest: string, place: Place, isEnded: boolean): Fit | Misfit {
  const end = endBeforeClosers(text, rest, place);
  const closed = scan(text.slice(0, end), place.language, place.open).outer.map(({ closes }) => closes);
  if (openedInLine(place).some((bracket) => !closed.includes(bracket))) return 'leaves-bracket-open';
  if (text.slice(0, end).trimEnd().includes('\n'))
    return fitLines(text.slice(0, end), rest, place, isEnded || end < text.length);
  const beyond = text.slice(end).trimEnd();
  const { open } = scan(text.slice(0, end), place.language, place.open);
  // Nor is a body closed that would be empty: the cursor would stand outside of it.
  if (open.length > place.open.length) return 'leaves-bracket-open';
  // After the rest, the text may add a semicolon or a comma.
  const isLonger = beyond.startsWith(rest.trim()) && /^[;,]$/.test(beyond.slice(rest.trim().length).trim());
  return isLonger ? { end: text.trimEnd().length, replaces: rest.length, tail: '' } : kept(end);
}

/** Lines between brackets: whole or not at all. If they begin on the next line, the rest moves to a line of its own. */
function fitLines(text: string, rest: string, { language, open, around }: Place, isWhole: boolean): Fit | Misfit {
  if (!isWhole || scan(text, language, open).open.length > open.length) return 'leaves-bracket-open';
  const end = text.trimEnd().length;
  if (!/^[ \t]*\n/.test(text)) return kept(end);
  const isGroup = /\b(?:const|import|type|var) \($/.test(around.linePrefix);
  const comma = language.needsLastComma && !isGroup && !text.trimEnd().endsWith(',') ? ',' : '';
  return { end, replaces: rest.length, tail: `${comma}\n${indentationOf(around.linePrefix)}${rest.trimStart()}` };
}

/** The brackets of the cursor's line that nothing to the right closes, so that the text must. */
function openedInLine({ unclosed, lineStart }: Place): readonly Open[] {
  return unclosed.filter(({ at }) => at >= lineStart);
}

/** The first closing bracket or quote of the text but those that the cursor's line is missing. */
function firstCloser(text: string, place: Place): Scan['outer'][number] | undefined {
  const missing = openedInLine(place);
  return scan(text, place.language, place.open).outer.find(
    ({ closes: opened }) => !opened || !missing.includes(opened),
  );
}

function endBeforeClosers(text: string, rest: string, place: Place): number {
  const { language, within } = place;
  const first = firstCloser(text, place);
  // In a string, brackets may be those of an interpolated expression or of prose.
  const inString = text.slice(0, first?.at);
  const [expression] = within === 'string' ? scan(inString, language).outer : [];
  if (expression && closes(rest, text, expression.at)) return expression.at;
  return /^\s*[)\]}]/.test(rest) ? inString.length : withoutOverlap(inString, rest);
}

function closes(rest: string, text: string, at: number): boolean {
  return rest.trimStart().startsWith(text[at] ?? '');
}

function fitCode(text: string, rest: string, place: Place, isEnded: boolean): Fit | Misfit {
  const { language, open, around } = place;
  // The text may open what the rest closes and nothing has opened.
  const closers = scan(rest, language, open).outer.filter(({ closes }) => closes === null);
  const isBalanced = (end: number) => {
    const { open: after, outer } = scan(text.slice(0, end), language, open);
    const opened = after.slice(open.length).reverse();
    return outer.length === 0 && opened.every((each, i) => closerFor(each) === rest[closers[i]?.at ?? -1]);
  };
  const word = endOfWord(around.linePrefix, rest);
  if (word !== '') {
    const at = text.search(new RegExp(`${word}(?!${inWord.source})`, 'u'));
    return at !== -1 && isBalanced(at) ? kept(at) : 'splits-word';
  }
  const found = rest.trim().length > 1 ? wordIndex(text, rest.trim()) : -1;
  if (found !== -1 && isBalanced(found)) return kept(found);
  if (place.within === 'comment') {
    const end = withoutOverlap(text, rest);
    return isEnded || end < text.trimEnd().length ? kept(end) : 'does-not-fit-rest';
  }
  const [closing] = scan(text, language, open).outer;
  if (closing && closes(rest, text, closing.at)) {
    return isBalanced(closing.at) ? kept(closing.at) : 'leaves-bracket-open';
  }
  if (replacesRest(text, rest, place)) return { end: text.trimEnd().length, replaces: rest.length, tail: '' };
  const end = withoutOverlap(text, rest);
  const meets = end < text.trimEnd().length || place.within === 'string' || joins(text.slice(0, end), rest, place);
  const isJoined = isEnded && meets && isBalanced(end);
  const again = restAgain(text, rest, place);
  // What closes type arguments is no operator, which the text could have joined.
  if (again > 0 && (!isJoined || rest.trimStart().startsWith('>'))) return kept(again);
  if (isJoined) return kept(end);
  return isBalanced(end) || closing ? 'does-not-fit-rest' : 'leaves-bracket-open';
}

/** What the rest has of the word around the cursor, or of the character, if that is a letter and its accent. */
function endOfWord(linePrefix: string, rest: string): string {
  const isInside = /^[\p{M}\p{Emoji_Modifier}]/u.test(rest) || inWord.test(linePrefix.slice(-1));
  return isInside ? (new RegExp(`^(?:${inWord.source}|\\p{Emoji_Modifier})+`, 'u').exec(rest)?.[0] ?? '') : '';
}

/** Where the text has the rest, but not behind a part of the rest's first word; -1 if nowhere. */
function wordIndex(text: string, rest: string): number {
  let at = text.indexOf(rest);
  while (at > 0 && /\w\w/.test(text.slice(at - 1, at + 1))) at = text.indexOf(rest, at + 1);
  return at;
}

/** Where the text goes on as the rest does, outside of brackets of its own; -1 if it does not. */
function restAgain(text: string, rest: string, { language, open }: Place): number {
  const [first = ''] = rest.match(token) ?? [];
  const scanner = new Scanner(text, language, open);
  for (const { 0: each, index } of text.matchAll(token)) {
    const isOutside = scanner.to(index).open.length === open.length;
    if (each === first && isOutside) return /^\s/.test(rest) ? text.slice(0, index).trimEnd().length : index;
  }
  return -1;
}

function kept(end: number): Fit {
  return { end, replaces: 0, tail: '' };
}

/**
 * Whether the text contains all words of the rest in order, ends with the same one and leaves the same brackets open.
 */
function replacesRest(text: string, rest: string, { language, open }: Place): boolean {
  const wanted = words(rest);
  const given = words(text);
  if (given.at(-1) !== wanted.at(-1)) return false;
  let found = 0;
  for (const word of given) if (word === wanted[found]) found++;
  const [of, by] = [scan(rest, language, open), scan(text, language, open)];
  return found === wanted.length && of.open.length === by.open.length && of.outer.length === by.outer.length;
}

function words(text: string): string[] {
  return text.match(/\w+|[^\w\s]/g) ?? [];
}

/**
 * Whether text and rest can stand next to each other: one ends or begins with an operand, the other with an operator.
 */
function joins(text: string, rest: string, place: Place): boolean {
  if (/^\s*<\//.test(rest)) return true;
  if (/^\s/.test(rest) && mayAdjoin(text, place)) return true;
  const meetsOperand = operandStart.test(rest.trimStart()) && !connectorWord.test(rest);
  return meetsOperand ? connectorEnd.test(text) : operandEnd.test(text.trimEnd());
}

/** Whether the text may stand before another word: a type before a name, an attribute before another one. */
function mayAdjoin(text: string, { language, around }: Place): boolean {
  const isInTag = hasTags(language) && /<[^<>]*$/.test(around.linePrefix);
  return isInTag || (language.hasTypedNames && /^[\w.:]+(?:<[\w.:<>, ?]*>)?[\][*&?]*$/.test(text));
}

/** Where the text ends if its overlap with the rest is removed. */
function withoutOverlap(text: string, rest: string): number {
  const written = text.trimEnd();
  const shared = sharedLength(written, rest.trim());
  return shared === 0 ? text.length : written.length - shared;
}

/** The length of the longest end of the text that is a beginning of the rest, without splitting words. */
function sharedLength(text: string, rest: string): number {
  for (let length = Math.min(text.length, rest.length); length > 0; length--) {
    const at = text.length - length;
    const splitsWord = /\w\w/.test(text.slice(at - 1, at + 1)) || /\w\w/.test(rest.slice(length - 1, length + 1));
    if (!splitsWord && text.endsWith(rest.slice(0, length))) return length;
  }
  return 0;
}
