// Rules for where a completion ends if the model does not end it. They look at whole lines only and therefore cut a
// text that is still growing at the same place as the finished one, so generation can stop there.

import type { GeneratedText } from './generated-text.ts';
import { depthOf, filledLines, type Line } from './indentation.ts';
import { hasPatterns, opensBlock } from './languages.ts';
import { following, isEndedBelow, type Place } from './place.ts';
import { isBracket, Scanner, scan } from './scanner.ts';
import { endsIn } from './spanning.ts';

const maxLines = 12;
const maxHeadChars = 200;
const terminator = /^(?:(?:end|fi|done|esac|until)\b|<\/)/;
// A line that begins so continues the one above.
const continuing = /^(?:\?\.|\.\w|(?:\|\|?|&&?|\?\??|:|\+)\s|\?:)/;
// After these, a statement goes on in the next line. A comma is not among them: it may end an element of a list; nor are
// `i++` and a question mark behind a name.
const unfinished = /(&&|\|\||(?<!\+)\+|(?<![\w>)\]])\?|[*%^=.\\]|(^|\s)(and|or))$/;

/** Where the text leaves the place's extent; text.length if it does not. */
export function extentEnd(text: string, place: Place, generated: GeneratedText): number {
  if (leavesBlock(text, place, generated.mayGrow(text))) return 0;
  if (place.extent === 'line') return lineEnd(text, place);
  const mayBecome = (line: Line) =>
    generated.mayGrow(text) && line.end === text.length && /^\}?\s*\w*$/.test(line.text.trim());
  return place.extent === 'block' ? blockEnd(text, place, mayBecome) : statementEnd(text, place, generated, mayBecome);
}

/** Whether the cursor is on a blank line and the text goes to the next one, which is indented less than the cursor. */
function leavesBlock(text: string, { around, language }: Place, mayGrow: boolean): boolean {
  const [first] = filledLines(text);
  if (first === undefined || around.linePrefix.trim() !== '') return false;
  const isOnNextLine = text.slice(0, first.begin).includes('\n');
  const depth = depthOf(around.linePrefix);
  if (goesBackIn(first, isOnNextLine, { around, language })) return true;
  // What is closed in front of a body that stands below would lose it.
  const line = first.text.trim();
  // Letters may become another word: "fi" a file.
  const isGrowing = mayGrow && first.end === text.length && /^\w+$/.test(line);
  const isWord = language.family === 'ends' && !isGrowing;
  const closesBody = /^(?:\}|<\/)/.test(line) || (isWord && terminator.test(line));
  return isOnNextLine ? depthOf(first.text) < depth : closesBody && depthOf(around.linesBelow[0] ?? '') > depth;
}

/**
 * Whether the text puts back the indentation that the cursor's line has less than the one above. Where nothing else tells
 * what belongs to what, the next key of the outer level is wanted.
 */
function goesBackIn(
  { text }: Line,
  isOnNextLine: boolean,
  { around, language }: Pick<Place, 'around' | 'language'>,
): boolean {
  if (language.family !== 'data' || language.parent === null) return false;
  const depth = depthOf(around.linePrefix);
  const isOut = depth < depthOf(around.linesAbove[0] ?? '');
  return isOut && depthOf(isOnNextLine ? text : around.linePrefix + text) > depth;
}

// A text that begins with a line break ends after the next line, also behind a comma. That is allowed only at the end
// of a line.
function lineEnd(text: string, { around }: Place): number {
  const begin = around.lineSuffix === '' ? text.search(/(?!,\s*\n)\S/) : 0;
  const newline = begin === -1 ? -1 : text.indexOf('\n', begin);
  return newline === -1 ? text.length : newline;
}

function blockEnd(text: string, { depth, language }: Place, mayBecome: (line: Line) => boolean): number {
  let end = 0;
  for (const [i, line] of filledLines(text).entries()) {
    const isBranch =
      depthOf(line.text) === depth && ((language.branch?.test(line.text.trim()) ?? false) || mayBecome(line));
    const isInside = i === 0 || depthOf(line.text) > depth || isBranch;
    if (!isInside || i === maxLines) return end;
    end = line.end;
  }
  return text.length;
}

/** The end of the line that closes every bracket and block opened by the statement. */
function statementEnd(
  text: string,
  place: Place,
  generated: GeneratedText,
  mayBecome: (line: Line) => boolean,
): number {
  const { language, around } = place;
  const lines = filledLines(text);
  const [first] = lines;
  if (!first) return text.length;
  // Behind an open bracket or the head of a block, what begins on the next line still belongs to the cursor's line.
  const isBody = opensBlock(around.linePrefix, language) && depthOf(first.text) > depthOf(around.linePrefix);
  const isOnNextLine = text.slice(0, first.begin).includes('\n') && !opensInLine(place) && !isBody;
  const depth = depthOf(isOnNextLine ? first.text : around.linePrefix + first.text);
  const opensAbove = place.open.filter(({ at }) => at < place.lineStart);
  const outside = isOnNextLine ? place.open : opensAbove;
  const scanner = new Scanner(text, language, place.open);
  let isClosed = false;
  let isInBlock = false;
  let end = 0;
  for (const [i, line] of lines.entries()) {
    const trimmed = line.text.trim();
    const lineDepth = i === 0 ? depth : depthOf(line.text);
    if (i === maxLines || lineDepth < depth) return end;
    const isDeeper = lineDepth > depth;
    const isTerminator = isInBlock && !isDeeper && language.family !== 'indentation' && terminator.test(trimmed);
    const isOfBlock = isInBlock && (isDeeper || isTerminator || language.branch?.test(trimmed) || mayBecome(line));
    const continues = continuesLine(trimmed, lines[i - 1]?.text.trim() ?? '', place, generated.mayGrow(text));
    if (isClosed && !isOfBlock && !continues) return end;
    if (isTerminator && lineDepth === depth && isEndedBelow(place)) return end;
    const whole = i === 0 && !isOnNextLine ? around.linePrefix + line.text : line.text;
    isInBlock ||= opensBlock(whole, language) && !/[({[]$/.test(whole);
    end = line.end;
    if (isTerminator) return end;
    const isBalanced = scanner.to(end).open.every((each) => outside.includes(each)) && !unfinished.test(trimmed);
    isClosed = isBalanced && trimmed.endsWith(language.statementEnd);
    // Where the next line may continue the statement, only a blank line ends it.
    const mayGoOn = language.family === 'brackets' && !/[;{}]$/.test(trimmed);
    if (isBalanced && !isInBlock && (mayGoOn ? /^\n[ \t]*\n/ : /^\n/).test(text.slice(end))) return end;
  }
  return text.length;
}

/** Whether a line goes on with the statement above: with a call, an operator or the brace of a body. */
function continuesLine(line: string, above: string, { language }: Place, mayGrow: boolean): boolean {
  if (language.family !== 'brackets' || /[;{}]$/.test(above)) return false;
  return continuing.test(line) || (/^\{/.test(line) && !/,$/.test(above)) || (mayGrow && /^[.?|&:+]+$/.test(line));
}

function opensInLine({ open, lineStart }: Place): boolean {
  return open.some((each) => isBracket(each) && each.at >= lineStart);
}

/** Where the first bracket or quote stands that closes something which is already closed, or was never opened. */
export function surplusCloser(text: string, place: Place, generated: GeneratedText): number {
  if (place.within === 'comment' || place.around.lineSuffix.trim() !== '') return text.length;
  const { language } = place;
  const surplus = scan(text, language, place.open).outer.find(({ at, closes }) => {
    if (closes === null) return !place.isWindowCut && !endsPattern(text.slice(0, at), place);
    if (!isBracket(closes)) return endsIn(following(place), closes.token, language);
    return !place.unclosed.includes(closes) && !goesOn(text.slice(at), place, generated.mayGrow(text));
  });
  if (!surplus) return text.length;
  // Without the bracket, what the line below begins with would stand there twice.
  const begin = text.lastIndexOf('\n', surplus.at) + 1;
  const line = (begin === 0 ? place.around.linePrefix : '') + text.slice(begin, surplus.at + 1);
  const isRepeated = place.around.linesBelow[0]?.trim().startsWith(line.trim());
  return isRepeated ? Math.max(0, begin - 1) : surplus.at;
}

/** Whether a closing bracket behind the text would end a pattern of a shell's case. */
function endsPattern(text: string, { language, around }: Place): boolean {
  if (!hasPatterns(language)) return false;
  const written = `${around.linesAbove[0] ?? ''}\n${around.linePrefix}${text}`;
  const [line, above] = filledLines(written).reverse();
  return /(?:\bin|;;)$/.test(above?.text.trim() ?? '') && !/[();]/.test(line?.text ?? '');
}

/** Whether a closing bracket continues the statement, as in `} else {`. */
function goesOn(text: string, { language }: Place, mayBecome: boolean): boolean {
  const [line = ''] = text.slice(0, maxHeadChars).split('\n', 1);
  const isBranch = language.branch?.test(line) ?? false;
  const isGrowing = mayBecome && line.length === text.length;
  return isGrowing ? isBranch || /^\}[ \t]*\w*$/.test(line) : isBranch && opensBlock(line, language);
}
