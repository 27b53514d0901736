// Whole or nothing: what is shown leaves no bracket, string, element or block open. An end that is not complete is cut off,
// or closed where that is safe.
import { depthOf, filledLines, indentationOf } from './indentation.ts';
import { opensBlock } from './languages.ts';
import { isEndedBelow, type Place } from './place.ts';
import { closerFor, isBracket, type Open, scan } from './scanner.ts';

const minChars = 4;
// Longer bodies are not looked through for their end.
const bodyChars = 4000;
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
    'and as assert async await case const def del elif elsif extends for from function global if implements import in instanceof ' +
    'is lambda let new nonlocal not of or throws typeof unless until var when while with yield ' +
    'AND AS BETWEEN BY FROM HAVING INTO JOIN LIKE OR SELECT UNION VALUES WHERE'
  ).split(' '),
);
// A line that begins so says nothing until it is whole.
const wholeOnly =
  /^(?:export\s+)?(?:(?:async\s+)?(?:def|fn|func|function)|case|class|elif|enum|for|from|if|impl|import|interface|match|package|struct|switch|trait|try|type|unless|until|use|using|while|with)\b/;
// What stands before the type of a declaration.
const modifiersOnly =
  /^\s*(?:(?:abstract|async|const|final|internal|override|private|protected|public|readonly|sealed|static|virtual|volatile)\s+)+$/;
const typeOnly = /^[\w.:]+(?:<[^<>]*>)?[\][*&?]*\s*$/;
// The head of a function whose body begins on the next line.
const functionHead =
  /^(?:(?:abstract|final|private|protected|public|static)\s+)*function\s+\w+\s*\([^;{]*\)(?:\s*:\s*[\w?|\\]+)?$/;
// The head of a block whose body may be a single statement.
const bracketHead = /^(?:\}\s*)?(?:(?:else\s+)?if|for|foreach|switch|while)\b.*\)$|^(?:\}\s*)?(?:do|else|finally|try)$/;
// Its body stands in braces, whatever is below.
const bracesOnly = /^(?:\}\s*)?(?:finally|try)$/;
const beginsBody = /(?<![;\s])[;\s]+(?:do|then)\b/;
// Behind a name stand type arguments, but no closing tag does.
const unfinishedTag = /(?:(?<![\w.])<|<\/)[a-zA-Z][\w.:-]*(?:[^<>]|=>)*$/;
// What begins an element or a parameter, also behind what stands before operands only. No keyword of a condition does.
const elementStart = /^(?!(?:and|as|else|for|if|in|is|not|or)\b)(?:["'\w$@]|\.{3}|(?:[&*]{1,2}|\?)[\w$\\])/;
// Names and their types, with which a value begins.
const parameters = /(?:(?<![\w$)\]>?]\s*)|(?<=\basync\s*))\([\w$\s,:?.<>[\]|]*\)(?:\s?:\s?[\w$<>[\]|.]+)?$/;
const tryBlock = /\btry\s*[{:]/g;
const catching = /\b(?:catch|except|finally)\b/g;

/** Where the lines at the end begin that only start something: a decorator, a tag, the head of a block. */
export function fragmentStart(text: string, place: Place): number {
  const firstChar = text.search(/\S/);
  let end = text.trimEnd().length;
  while (end > 0) {
    const begin = text.lastIndexOf('\n', end - 1) + 1;
    const isFirst = begin <= firstChar;
    const line = text.slice(begin, end).trim();
    const isHead =
      opensBlock(line, place.language) || place.language.attribute.test(line) || /^[{[(<]+$|[([{]$/.test(line);
    // As the first line, the head of a block is worth showing, but not punctuation alone, unless it closes something.
    const isClosed = place.tail !== '' && place.replaces === 0;
    const isAlone = place.around.linePrefix.trim() === '' && (isClosed || !/[)\]}]/.test(line));
    const isFragment = isFirst
      ? (/^[\W_]*$/.test(line) && isAlone) || isUnattached(line, place)
      : isHead && !isAboveBody(text.slice(0, end), place);
    if (!isFragment) return end;
    end = text.slice(0, begin).trimEnd().length;
  }
  return 0;
}

/** Whether what the last line of the text begins stands below, with all that closes it. */
function isAboveBody(text: string, place: Place): boolean {
  const isDeeper = depthOf(place.around.linesBelow[0] ?? '') > depthOf(lastLine(text, place));
  return isDeeper && openedIn(text, place).length === 0;
}

/** Whether a line is an attribute of what stands below, and nothing does. */
function isUnattached(line: string, { around, language }: Place): boolean {
  return language.attribute.test(line) && /^(?:[)\]}].*)?$/.test(around.linesBelow[0]?.trim() ?? '');
}

/** A line that opens a block, by where it ends. */
interface Head {
  at: number;
  indentation: string;
  closer: string;
}

/** What closes the blocks that the text leaves open, on lines of their own; null if it ends inside an expression or a tag. */
export function missingClosers(text: string, place: Place): string | null {
  const { language, lineBreak, around } = place;
  const opened = openedIn(text, place);
  const endsLine = ({ token, at }: Open) => token === '{' && /^\s*?(?:\n|$)/.test(text.slice(at + 1));
  if (isUncaught(text, place) || !opened.every(endsLine)) return null;
  const firstLine = (lineBreak || `\n${around.linePrefix}`).slice(1) + text;
  const indentationAt = (begin: number) => indentationOf(begin > 0 ? text.slice(begin) : firstLine);
  const braces = opened.map(({ at }) => ({
    at,
    indentation: indentationAt(text.lastIndexOf('\n', at) + 1),
    closer: '}',
  }));
  const heads: Head[] = [];
  for (const line of filledLines(text)) {
    const trimmed = line.text.trim();
    if (language.branch?.test(trimmed)) continue;
    const indentation = indentationAt(line.begin);
    const last = heads.at(-1);
    const outwards = depthOf(last?.indentation ?? '') - depthOf(indentation);
    // The end of a head of several lines stands further out than the last of them.
    if (last && (outwards === 0 || (outwards > 0 && trimmed.startsWith(last.closer)))) {
      heads.pop();
    } else if (opensBlock(trimmed, language)) {
      const closer = language.terminatorOf(trimmed);
      if (closer?.endsWith(' ')) return null;
      if (closer) heads.push({ at: line.end, indentation, closer });
    }
  }
  // Between the last head and its body below stands no closer of an outer one: that, too, is below.
  if (heads.at(-1)?.at === text.trimEnd().length && hasBodyBelow(heads.at(-1), place)) {
    while (hasBodyBelow(heads.at(-1), place)) heads.pop();
    if (heads.length + braces.length > 0) return null;
  }
  if (isEndedBelow(place) && depthOf(heads[0]?.indentation ?? '') === depthOf(around.linePrefix)) heads.shift();
  const inwards = [...braces, ...heads].sort((a, b) => b.at - a.at);
  if (inwards.length > 0 && openTag(text, place) !== -1) return null;
  return inwards.map(({ indentation, closer }) => `\n${indentation}${closer}`).join('');
}

/** Whether the deeper lines below, and the line that ends them, are those of the head of a block. */
function hasBodyBelow(head: Head | undefined, { document, language }: Place): boolean {
  if (!head) return false;
  const depth = depthOf(head.indentation);
  const below = document.text
    .slice(document.offset, document.offset + bodyChars)
    .split('\n')
    .slice(1);
  const lines = below.filter((line) => line.trim() !== '');
  const after = lines.find((line) => depthOf(line) <= depth) ?? '';
  const [end, { closer }] = [after.trim(), head];
  const isWhole = !/\w\w/.test(end.slice(closer.length - 1, closer.length + 1));
  const isEnd = (end.startsWith(closer) && isWhole) || (language.branch?.test(end) ?? false);
  return depthOf(lines[0] ?? '') > depth && depthOf(after) === depth && isEnd;
}

/**
 * The longest beginning of the text that is complete: lines after which nothing is open, or else what the first line has
 * before the first thing that it leaves open.
 */
export function completeBeginning(text: string, place: Place): number {
  const lines = filledLines(text);
  const last = lines.findLast(({ end }) => isComplete(text.slice(0, end), place));
  const [first] = lines;
  if (last || !first) return last?.end ?? 0;
  const line = text.slice(0, first.end);
  const starts = [openedIn(line, place)[0]?.at ?? -1, openTag(line, place), headStart(line, place)];
  const end = meaningfulEnd(text, Math.min(first.end, ...starts.filter((at) => at !== -1)), place);
  const piece = text.slice(0, end);
  const isHalf = (beginsStatement(place) && !mayStandAlone(piece, place)) || isHalfDeclaration(piece, place);
  return isHalf || lacksComma(piece, place) ? 0 : end;
}

/** The end with the colon that makes a label of it. */
function withColon(text: string, end: number, { around, language }: Place): number {
  const isLabel =
    language.family === 'brackets' && /^\s*case\s(?:[^:]|::)+$/.test(around.linePrefix + text.slice(0, end));
  const colon = isLabel ? /^[ \t]*:(?!:)/.exec(text.slice(end)) : null;
  return end + (colon?.[0].length ?? 0);
}

function isComplete(text: string, place: Place): boolean {
  if (place.within === 'comment') return true;
  const isClosed = missingClosers(text, place) === '' && openTag(text, place) === -1;
  return isClosed && !isUnfinished(text, place);
}

/**
 * Whether the document is sound without the text, because no statement has been begun; it must be so with it. Where only
 * single lines are wanted, the head of a block is one.
 */
export function beginsStatement({ around, open, language, extent }: Place): boolean {
  if (around.linePrefix.trim() !== '') return false;
  const bracket = open.at(-1)?.token;
  return language.family === 'data' || (extent !== 'line' && (bracket === undefined || bracket === '{'));
}

/**
 * Whether a declaration would lack its name behind the type or what follows the name, a field its value, or a statement its
 * end where half a word, which is an expression, stood.
 */
export function isHalfDeclaration(text: string, place: Place): boolean {
  const { around, language, open } = place;
  const { linePrefix } = around;
  if (lacksLastComma(text, place)) return true;
  if (modifiersOnly.test(linePrefix)) return typeOnly.test(text);
  const isInStatements = open.length === 0 || open.at(-1)?.token === '{';
  if (isInStatements && language.beforeName?.test(linePrefix)) return /^[\w.]+$/.test(text);
  if (!/^\s*\w+$/.test(linePrefix) || wholeOnly.test(linePrefix.trim()) || language.family === 'data') return false;
  const line = linePrefix + text;
  return language.valueless.test(line.trim()) || (language.endsWithLine && !mayStandAlone(line, place));
}

/** Whether the beginning of a line can be a statement of its own. */
export function mayStandAlone(text: string, place: Place): boolean {
  const { language } = place;
  const line = text.trim();
  if (!language.endsWithLine || takesLinesBelow(text, place)) return false;
  if (language.family === 'data') return isEntry(line, place);
  return !wholeOnly.test(line) && !language.valueless.test(line) && !opensBlock(line, language);
}

/** Whether a line of data has its value. Between brackets, it has no key. */
function isEntry(line: string, { language, open }: Place): boolean {
  return open.length > 0 || (language.entry?.test(line) ?? true);
}

/**
 * Whether the lines below, which are deeper, would belong to the last line of the text although that is no head. It is so
 * where blocks are known by their indentation.
 */
function takesLinesBelow(text: string, place: Place): boolean {
  const { language, around } = place;
  if (!language.parent || around.linePrefix.trim() !== '') return false;
  const line = lastLine(text, place);
  const dashes = /^\s*((?:- )*)/.exec(line)?.[1]?.length ?? 0;
  const content = depthOf(line) + dashes;
  const below = depthOf(around.linesBelow[0] ?? '');
  // What stands below as deep as an item's text goes on with it, so that both must be keys.
  if (dashes > 0 && below === content) return !/:(?:\s|$)/.test(line);
  return below > content && !language.parent.test(line);
}

/** Whether a text that leaves nothing open says too little, or takes lines from what stands below. */
export function isUnfinished(text: string, place: Place): boolean {
  return endsWithHead(text, place) || takesLinesBelow(text, place) || lacksComma(text, place);
}

/** Whether the text would run together with the element or argument below it. */
function lacksComma(text: string, place: Place): boolean {
  const { around, language } = place;
  const hasCommas = language.family === 'brackets' || language.family === 'indentation';
  const below = around.linesBelow[0]?.trim() ?? '';
  const isAlike = /^[{[(]/.test(below) && (around.linePrefix + text).trim().startsWith(below.slice(0, 1));
  return hasCommas && (isAlike || elementStart.test(below)) && isInList(place) && /[\w"'`)\]}]$/.test(text.trimEnd());
}

/** Whether the beginning of a line of its own is a field or an argument of those that each end with a comma. */
function lacksLastComma(piece: string, place: Place): boolean {
  const { around, language, open } = place;
  const bracket = open.at(-1);
  const isOwnLine = around.linePrefix.trim() === '' || /^\s*\n/.test(piece);
  if (!language.needsLastComma || !bracket || !isBracket(bracket) || !isOwnLine) return false;
  return bracket.token !== '{' || /[\w\]]$/.test(textBefore(bracket, place));
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
  const isArgument = /[([]/.test(open.at(-2)?.token ?? '') && /[(,[] ?$/.test(before);
  const isObject = isFresh && bracket.token === '{' && language.hasObjects && isArgument;
  return bracket.token === '[' || isObject || (isCall && language.terminatorOf('<a>') === null);
}

/** Whether the text ends with a statement of its own line that is the head of a block, and the block is not there. */
function endsWithHead(text: string, place: Place): boolean {
  const { language, around } = place;
  const last = lastLine(text, place);
  if (!beginsStatement(place) && !text.trimEnd().includes('\n')) return false;
  const line = last.trim();
  const heads = [bracketHead, functionHead, language.bareHead];
  // Behind a mark such as an arrow, the body is known by its indentation.
  const isIndented = opensBlock(line, language) && !/[({[]$/.test(line) && language.terminatorOf(line) === null;
  const isHead = isIndented || (language.family !== 'indentation' && heads.some((head) => head?.test(line)));
  const below = around.linesBelow[0] ?? '';
  if (bracesOnly.test(line) && language.family === 'brackets' && !isIndented) return !below.trim().startsWith('{');
  return isHead && depthOf(below) <= depthOf(last);
}

/** The text's last line that is not blank, with what stands before it. */
function lastLine(text: string, { around }: Place): string {
  const written = text.trimEnd();
  const begin = written.lastIndexOf('\n') + 1;
  return begin === 0 ? around.linePrefix + written : written.slice(begin);
}

/** Whether a block only tries; without what catches, that is no statement. One that closes what it opens, `try (`, is. */
function isUncaught(text: string, { around, language }: Place): boolean {
  // Where a body may stand behind the word alone, a try is an expression like others.
  if (language.opener?.test('try')) return false;
  return lastIndex(text, tryBlock) > lastIndex([text, ...around.linesBelow].join('\n'), catching);
}

/** -1 if there is none. */
function lastIndex(text: string, pattern: RegExp): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}

/** What the text opens and nothing closes, outermost first. A comment that ends with its line is none. */
function openedIn(text: string, { language, open, surplus }: Place): Open[] {
  const after = scan(text, language, open).open;
  const last = after.at(-1);
  // A string may have ended and another one begun.
  const isInString = last !== undefined && language.quotes.includes(last.token) && last !== open[after.length - 1];
  const opened = after
    .slice(isInString ? Math.min(open.length, after.length - 1) : open.length)
    .filter(({ token }) => !language.lineComments.includes(token));
  const closed = surplus.findIndex((closer, i) => closer !== closerFor(opened.at(-1 - i) ?? { token: '', at: 0 }));
  return opened.slice(0, Math.max(0, opened.length - (closed === -1 ? surplus.length : closed)));
}

/** Whether the text closes the bracket or the element that the tail would close. */
export function closesItself(text: string, { language, open, tail }: Place): boolean {
  const closer = tail.trim();
  const own = open.at(-1);
  if (own && closer === closerFor(own)) return scan(text, language, open).outer.some(({ closes }) => closes === own);
  const [, name] = /^<\/(.+)>$/.exec(closer) ?? [];
  const count = (tag: string) => text.split(tag).length;
  return name !== undefined && count(closer) > count(`<${name}`);
}

/**
 * Where the text ends without half a word, operators but the colon of a label, opening brackets, keywords, and what may turn
 * out to be the parameters before an arrow; 0 if too little is left.
 */
export function meaningfulEnd(text: string, end: number, place: Place): number {
  const isInsideWord = end === text.length || inWord.test(text[end] ?? '');
  let at = withoutDangling(text, isInsideWord ? wordStart(text, end, inWord) : end);
  for (;;) {
    const word = wordStart(text, at, /[\w.$]/);
    if (!danglingKeywords.has(text.slice(word, at))) break;
    at = withoutDangling(text, word);
  }
  const whole = text.slice(0, at);
  const list = place.language.hasObjects ? parameters.exec(whole) : null;
  if (list) return meaningfulEnd(text, list.index, place);
  return whole.trim().length < minChars || keywordsOnly.test(whole) ? 0 : withColon(text, at, place);
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

/** Where a tag begins that the text does not finish; -1 if it finishes all. */
function openTag(text: string, { language }: Place): number {
  return language.terminatorOf('<a>') === null ? -1 : text.search(unfinishedTag);
}

/** Where a line begins to open a block that needs an end of its own; -1 if it opens none. */
function headStart(line: string, { language }: Place): number {
  const keyword = language.family === 'ends' ? line.search(beginsBody) : -1;
  if (keyword !== -1) return keyword;
  return language.terminatorOf(line.trim()) === null ? -1 : line.trimEnd().search(language.opener ?? /$/);
}
