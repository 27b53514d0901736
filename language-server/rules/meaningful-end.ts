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
const parameters = /^\([\w$\s,:?.<>[\]|]*\)(?:\s?:\s?[\w$<>[\]|.]+)?$/;
const inParameters = /[\w$\s,:?.<>[\]|)]/;
// Before such a parenthesis, a name or a value is called.
const called = /[\w$)\]>?]$/;
// Such parentheses are an expression, too, if they hold names alone.
const names = /^\([\w$]+(?:,\s?[\w$]+)*\)$/;
// A regular expression begins behind what stands before operands. A long set of characters counts as one that is not closed.
const regex =
  /(?:^|[(,=~:!&|?{;[]|\b(?:and|if|not|or|return|unless|when)\b)\s*(\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n]){0,300}\]|[^/\\\n[])*(?:\/[a-z]*)?)/g;
const inTypeArguments = /[\w\s,.:?&|[\]]/;
const charsBefore = 300;

/**
 * Where the text ends without half a word, operators but the colon of a label, opening brackets, keywords, half a regular
 * expression, and what may turn out to be the parameters before an arrow; 0 if too little is left.
 */
export function meaningfulEnd(text: string, end: number, place: Place): number {
  const { language, within } = place;
  const isBroken = lacksSemicolon(place);
  const hasTypes = within === 'code' && language.family === 'brackets' && !isBroken;
  const patterns = patternsIn(text, place);
  // Each step leaves less of the text, and looks at no more than it leaves out.
  for (let from = end; ; ) {
    let at = withoutKeywords(text, from, place);
    while ((patterns.at(-1)?.begin ?? -1) >= at) patterns.pop();
    const pattern = patterns.at(-1);
    if (pattern && at <= pattern.closed) {
      if (from <= pattern.closed) {
        from = pattern.begin;
        continue;
      }
      at = Math.max(at, pattern.closed + 1);
    }
    const left =
      (hasTypes ? typesStart(text, at) : -1) + 1 || (language.hasObjects ? parametersStart(text, at) : -1) + 1;
    if (left === 0) {
      const whole = text.slice(0, at);
      return whole.trim().length < minChars || keywordsOnly.test(whole) ? 0 : withColon(text, at, place);
    }
    from = left - 1;
  }
}

/** Where statements need semicolons, a line that has been begun is broken without the text, too. */
function lacksSemicolon({ around, language }: Place): boolean {
  return around.linePrefix.trim() !== '' && language.semicolons !== 'none';
}

/** The end without half a word, and without what must be followed by something. */
function withoutKeywords(text: string, end: number, place: Place): number {
  const { linePrefix } = place.around;
  const half = linePrefix.slice(wordStart(linePrefix, linePrefix.length, /[\w.$#]/));
  const isInsideWord = end === text.length || inWord.test(text[end] ?? '');
  let at = withoutDangling(text, isInsideWord ? wordStart(text, end, inWord) : end);
  for (;;) {
    const word = wordStart(text, at, /[\w.$#]/);
    const begun = word === 0 && (!lacksSemicolon(place) || half === linePrefix.trim()) ? half : '';
    if (at === 0 || !danglingKeywords.has(begun + text.slice(word, at))) return at;
    at = withoutDangling(text, word);
  }
}

/** Where type arguments begin that are not closed; -1 if there are none. */
function typesStart(text: string, end: number): number {
  const at = wordStart(text, end, inTypeArguments) - 1;
  return text[at] === '<' && /\w/.test(text[at - 1] ?? '') ? at : -1;
}

/** Where the parentheses begin that may turn out to be the parameters of an arrow; -1 if there are none. */
function parametersStart(text: string, end: number): number {
  const at = wordStart(text, end, inParameters) - 1;
  if (text[at] !== '(') return -1;
  const before = text.slice(Math.max(0, at - charsBefore), at).trimEnd();
  const list = text.slice(at, end);
  const isCalled = called.test(before) && !/\basync$/.test(before);
  return !isCalled && parameters.test(list) && !names.test(list) ? at : -1;
}

/** The regular expressions that begin in the text, and where the slashes stand that end them. */
function patternsIn(text: string, { language, around, within }: Place): { begin: number; closed: number }[] {
  if (!language.hasRegexes || within !== 'code') return [];
  const { length } = around.linePrefix;
  return [...(around.linePrefix + text).matchAll(regex)].flatMap(({ 0: found, 1: pattern = '', index }) => {
    const begin = index + found.length - pattern.length - length;
    const slash = /.\/[a-z]*$/.exec(pattern)?.index;
    return begin < 0 ? [] : [{ begin, closed: slash === undefined ? Number.POSITIVE_INFINITY : begin + slash + 1 }];
  });
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
