// The commas of lists and arguments: none is missing above the next element, and none stands where it is not allowed. What
// stands between them is whole.
import { depthOf } from './indentation.ts';
import { hasPatterns, hasTags, isComment } from './languages.ts';
import type { Place } from './place.ts';
import { isBracket, type Open, scan } from './scanner.ts';

// What begins an element or a parameter, also behind what stands before operands only. No keyword of a condition does.
const elementStart = /^(?!(?:and|as|else|end|for|if|in|is|not|or)\b)(?:["'\w$@]|\.{3}|(?:[&*]{1,2}|\?)[\w$\\])/;

// What ends with a comma or an operator, also before a comment.
const separated = /(?:,|&&|\|\|)(?:\s*\/\/.*)?$/;
// A key without its value, and the head of a method without its body.
const halfEntry = /^(?:(["'])[^"']*\1|(?:(?:async|get|set)\s)?\s*(?:\*\s*)?[\w$.[\]]+\s*\([^()]*\))$/;

/** Whether a line's beginning is half an entry of an object or a class, or lacks its value among named arguments. */
export function isHalfEntry(begun: string, place: Place): boolean {
  const { language, open, around } = place;
  const [bracket, above = ''] = [open.at(-1), around.linesAbove[0]];
  if (language.family === 'indentation') return /^\s*\w+$/.test(begun) && /^\s*\w+=(?!=).*,$/.test(above);
  if (!language.hasObjects || bracket?.token !== '{' || !halfEntry.test(begun.trim())) return false;
  return /\bclass\b.*\{$/.test(above) || /[=(,:[?&|]\s*$/.test(textBefore(bracket, place));
}

/** Whether the text would run together with the element or argument below it. */
export function lacksComma(text: string, place: Place): boolean {
  const { around, language } = place;
  const hasCommas = language.family !== 'prose' && !hasPatterns(language);
  const bracket = place.open.at(-1);
  if (scan(text, language, place.open).outer.some(({ closes }) => closes === bracket)) return false;
  const below = around.linesBelow.find((line) => !isComment(line, language))?.trim() ?? '';
  const isAlike =
    /^[{[(]/.test(below) && (/["'`}]$/.test(text) || (around.linePrefix + text).trim().startsWith(below.slice(0, 1)));
  const end = text.trimEnd().slice(-1);
  const isElement = isInList(place) || (isBesideElements(place) && (end !== '}' || language.hasObjects));
  const isEnd = /[\w"'`)\]}]/.test(end) || (language.hasRegexes && end === '/');
  // Strings that stand side by side are joined.
  const isJoined =
    [around.linesAbove[0] ?? '', text].every((each) => /["']$/.test(each.trimEnd())) && /^\w*["']/.test(below);
  return hasCommas && !isJoined && (isAlike || elementStart.test(below)) && isElement && isEnd;
}

/** Whether the cursor is on a blank line beside one that is as deep and ends with what separates elements or conditions. */
function isBesideElements({ around, language, within }: Place): boolean {
  const isCode = within === 'code' && /^(?:brackets|ends|indentation)$/.test(language.family);
  if (!isCode || around.linePrefix.trim() !== '') return false;
  const [above = '', below = ''] = [around.linesAbove[0], around.linesBelow[0]];
  const isElement = (line: string) =>
    separated.test(line) &&
    depthOf(line) === depthOf(around.linePrefix) &&
    scan(`${line}\n`, language).open.length === 0;
  if (depthOf(below) < depthOf(around.linePrefix)) return false;
  return isElement(above) || (/[({[]$/.test(above) && isElement(below));
}

/** Whether the beginning of a line of its own is a field or an argument of those that each end with a comma. */
export function lacksLastComma(piece: string, place: Place): boolean {
  const { around, language, open } = place;
  const bracket = open.at(-1);
  const isOwnLine = around.linePrefix.trim() === '' || /^\s*\n/.test(piece);
  if (!language.needsLastComma || !bracket || !isBracket(bracket) || !isOwnLine) return false;
  const before = textBefore(bracket, place);
  // A space stands before the parenthesis of a group of declarations, but not before that of a call.
  return bracket.token === '{' ? /[\w\]]$|^\s\s$/.test(before) : !/\w $/.test(before);
}

/** The two characters in front of an open bracket. */
function textBefore({ at }: Open, { around, document, lineStart }: Place): string {
  const end = document.offset - around.linePrefix.length - lineStart + at;
  return document.text.slice(Math.max(0, end - 2), end);
}

/** Whether the cursor is in a list, in the arguments of a call or in an object among them, that begins further up. */
function isInList(place: Place): boolean {
  const { open, lineStart, around, language, lineBreak } = place;
  const bracket = open.at(-1);
  if (bracket === undefined || bracket.at >= lineStart || lineBreak !== '') return false;
  const before = textBefore(bracket, place);
  const isFresh = around.linePrefix.trim() === '';
  const isCall = bracket.token === '(' && /\w$/.test(before);
  const isArgument = /[([]/.test(open.at(-2)?.token ?? '') && /[(,[] ?$|^\s\s$/.test(before);
  const isOfBraces = language.family === 'indentation' || (language.hasObjects && isArgument);
  const isObject = isFresh && bracket.token === '{' && isOfBraces;
  if (language.family === 'data') return isBracket(bracket);
  // A body among the arguments has no brackets, but begins behind a head.
  if (language.family === 'ends' && !/[([,]$/.test(around.linesAbove[0] ?? '')) return false;
  const isWords = /%\w$/.test(before);
  return (bracket.token === '[' && !isWords) || isObject || (isCall && !hasTags(language));
}

/** JSON allows no comma before a closing bracket, and C none before a parenthesis. */
export function withoutTrailingComma(text: string, tail: string, replaces: number, place: Place): string {
  const { language } = place;
  const next = tail.trim() || nextToken(replaces, place);
  const isSurplus = language.family === 'data' ? /^[}\]]/.test(next) : language.refusesLastComma && /^\)/.test(next);
  return isSurplus ? text.replace(/,$/, '') : text;
}

/** Whether a text adds at most a comma to what it replaces, at the end of a list that needs none there. */
export function addsCommaAlone({ text, replaces }: { text: string; replaces: number }, place: Place): boolean {
  const { language, around } = place;
  const isRepeated = replaces > 0 && text.replace(/,$/, '') === around.lineSuffix.slice(0, replaces);
  return isRepeated && !language.needsLastComma && /^[)}\]]/.test(nextToken(replaces, place));
}

/** The line's rest behind what is replaced, or the next line. */
function nextToken(replaces: number, { around }: Place): string {
  return around.lineSuffix.slice(replaces).trim() || (around.linesBelow[0] ?? '').trim();
}
