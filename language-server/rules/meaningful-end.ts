// Where the beginning of a line ends in a word that means something.
import type { Place } from './place.ts';

const minChars = 4;
// Keywords say nothing about what is meant unless something follows them.
const keywordsOnly =
  /^(?:[^\p{L}\p{N}_]|\b(?:abstract|as|async|await|case|class|const|def|default|do|elif|else|elsif|enum|export|extends|final|fn|for|from|func|function|global|if|impl|import|in|interface|let|local|module|mut|namespace|new|nonlocal|of|package|private|protected|pub|public|return|self|static|struct|switch|this|throw|try|type|unless|until|use|using|val|var|void|when|while|with|yield)\b)*$/u;
// Scripts without spaces have no words that could be cut.
export const inWord = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{M}\p{N}_]/u;
// Operators and opening brackets mean nothing at the end of a text.
const meaningful = /[\p{L}\p{N}_)\]}"'`;]/u;
// After these something must follow in the same line.
const danglingKeywords = new Set(
  (
    '#define #elif #if #ifdef #ifndef #import #include #undef alias and as assert async await case const constructor ' +
    'def del elif elsif extends for from function global if implements import in instanceof ' +
    'is lambda let new nonlocal not of or throws try typeof unless until var when while with yield ' +
    'AND AS BETWEEN BY FROM HAVING INTO JOIN LIKE OR SELECT UNION VALUES WHERE'
  ).split(' '),
);
// Names and their types, with which a value begins.
const parameters = /\((?:(?<![\w$)\]>?]\s*\()|(?<=\basync\s*\())[\w$\s,:?.<>[\]|]*\)(?:\s?:\s?[\w$<>[\]|.]+)?$/;
// Such parentheses are an expression, too, if they hold names alone.
const names = /^\([\w$]+(?:,\s?[\w$]+)*\)$/;
// A regular expression begins behind what stands before operands. A long set of characters counts as one that is not closed.
const regex =
  /(?:^|[(,=~:!&|?{;[]|\b(?:and|if|not|or|return|unless|when)\b)\s*(\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n]){0,300}\]|[^/\\\n[])*(?:\/[a-z]*)?)/g;
// Type arguments that are not closed.
const typeArguments = /(?<=\w)<[\w\s,.:?&|[\]]*$/;

/**
 * Where the text ends without half a word, operators but the colon of a label, opening brackets, keywords, half a regular
 * expression, and what may turn out to be the parameters before an arrow; 0 if too little is left.
 */
export function meaningfulEnd(text: string, end: number, place: Place): number {
  const { linePrefix } = place.around;
  const half = linePrefix.slice(wordStart(linePrefix, linePrefix.length, /[\w.$#]/));
  // Where statements need semicolons, a line that has been begun is broken without the text, too.
  const isBroken = linePrefix.trim() !== '' && place.language.semicolons !== 'none';
  const isInsideWord = end === text.length || inWord.test(text[end] ?? '');
  let at = withoutDangling(text, isInsideWord ? wordStart(text, end, inWord) : end);
  for (;;) {
    const word = wordStart(text, at, /[\w.$#]/);
    const begun = word === 0 && (!isBroken || half === linePrefix.trim()) ? half : '';
    if (at === 0 || !danglingKeywords.has(begun + text.slice(word, at))) break;
    at = withoutDangling(text, word);
  }
  const pattern = patternAround(text, at, place);
  if (pattern) {
    if (end <= pattern.closed) return meaningfulEnd(text, pattern.begin, place);
    at = Math.max(at, pattern.closed + 1);
  }
  const whole = text.slice(0, at);
  const hasTypes = place.within === 'code' && place.language.family === 'brackets';
  const types = hasTypes && !isBroken ? typeArguments.exec(whole) : null;
  if (types) return meaningfulEnd(text, types.index, place);
  const list = place.language.hasObjects ? parameters.exec(whole) : null;
  if (list && !names.test(list[0])) return meaningfulEnd(text, list.index, place);
  return whole.trim().length < minChars || keywordsOnly.test(whole) ? 0 : withColon(text, at, place);
}

/** The regular expression that is not ended before `at`, and where the slash stands that ends it. */
function patternAround(text: string, at: number, { language, around, within }: Place) {
  if (!language.hasRegexes || within !== 'code') return null;
  const { length } = around.linePrefix;
  for (const { 0: found, 1: pattern = '', index } of (around.linePrefix + text).matchAll(regex)) {
    const begin = index + found.length - pattern.length - length;
    const slash = /.\/[a-z]*$/.exec(pattern)?.index;
    const closed = slash === undefined ? Number.POSITIVE_INFINITY : begin + slash + 1;
    if (begin >= 0 && begin < at && at <= closed) return { begin, closed };
  }
  return null;
}

/** The end with the colon that makes a label of it. */
function withColon(text: string, end: number, { around, language }: Place): number {
  const isLabel =
    language.family === 'brackets' &&
    /^\s*(?:case\s(?:[^:]|::)+|default)$/.test(around.linePrefix + text.slice(0, end));
  const colon = isLabel ? /^[ \t]*:(?!:)/.exec(text.slice(end)) : null;
  return end + (colon?.[0].length ?? 0);
}

/** Character by character: a search for what stands at the end would begin at the start of the text, again and again. */
function withoutDangling(text: string, end: number): number {
  let at = end;
  while (at > 0) {
    const isPair = at > 1 && /[\udc00-\udfff]/.test(text[at - 1] ?? '');
    const begin = at - (isPair ? 2 : 1);
    if (meaningful.test(text.slice(begin, at))) break;
    at = begin;
  }
  return at;
}

function wordStart(text: string, end: number, characters: RegExp): number {
  let at = end;
  while (at > 0 && characters.test(text[at - 1] ?? '')) at--;
  return at;
}
