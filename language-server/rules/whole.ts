// Whole or nothing: what is shown leaves no bracket, string, element or block open.
import { depthOf, filledLines, indentationOf, type Line } from './indentation.ts';
import { opensBlock } from './languages.ts';
import type { Place } from './place.ts';
import { closerFor, type Open, scan } from './scanner.ts';

const minChars = 4;
// Keywords say nothing about what is meant unless something follows them.
const keywordsOnly =
  /^(?:\W|\b(?:abstract|as|async|await|case|class|const|def|default|do|else|enum|export|extends|final|fn|for|from|func|function|if|impl|import|in|interface|let|local|module|mut|namespace|new|of|package|private|protected|pub|public|return|self|static|struct|switch|this|throw|try|type|use|using|val|var|void|while|with|yield)\b)*$/;
// Operators and opening brackets mean nothing at the end of a text. Looking behind it keeps the search linear.
const danglingEnd = /(?<![^\p{L}\p{N}_)\]}"'`;])[^\p{L}\p{N}_)\]}"'`;]+$/u;
// Without what catches, it is no statement; one that closes what it opens, `try (`, is.
const uncaughtTry = /\btry\s*\{(?![\s\S]*\b(?:catch|finally)\b)/;

/** Where the lines at the end begin that only start something: a decorator, a tag, the head of a block. */
export function fragmentStart(text: string, place: Place): number {
  const firstChar = text.search(/\S/);
  let end = text.trimEnd().length;
  while (end > 0) {
    const begin = text.lastIndexOf('\n', end - 1) + 1;
    const isFirst = begin <= firstChar;
    const line = text.slice(begin, end).trim();
    const isHead = opensBlock(line, place.language) || /^[@#]\[?\w[\w.]*\]?$|^[{[(<]+$|[([{]$/.test(line);
    // As the first line, the head of a block is worth showing, but not punctuation alone.
    const isAlone = begin > 0 || (place.around.linePrefix.trim() === '' && !/[)\]}]/.test(line));
    const isFragment = isFirst ? /^[\W_]*$/.test(line) && isAlone : isHead;
    if (!isFragment) return end;
    end = text.slice(0, begin).trimEnd().length;
  }
  return 0;
}

/** What closes the blocks that the text leaves open, on lines of their own; null if it ends inside an expression. */
export function missingClosers(text: string, place: Place): string | null {
  const { language, lineBreak, around } = place;
  if (uncaughtTry.test(text)) return null;
  const lines = filledLines(text);
  const indentation = (line: Line) =>
    indentationOf(line.begin > 0 ? line.text : (lineBreak || `\n${around.linePrefix}`).slice(1) + line.text);
  let closers = '';
  for (const { at, token } of openedIn(text, place).reverse()) {
    const line = lines.findLast(({ begin }) => begin <= at);
    if (!line || token !== '{' || text.slice(at + 1, line.end).trim() !== '') return null;
    closers += `\n${indentation(line)}}`;
  }
  const terminated: { terminator: string; indentation: string }[] = [];
  for (const line of lines) {
    const trimmed = line.text.trim();
    const last = terminated.at(-1);
    const isAtDepth = last !== undefined && depthOf(indentation(line)) === depthOf(last.indentation);
    if (isAtDepth && trimmed.startsWith(last.terminator.trim())) terminated.pop();
    else if (isAtDepth && !language.middle?.test(trimmed)) return null;
    else if (!isAtDepth && opensBlock(trimmed, language) && !language.middle?.test(trimmed)) {
      const terminator = language.terminatorOf(trimmed);
      if (terminator?.endsWith(' ')) return null;
      if (terminator) terminated.push({ terminator, indentation: indentation(line) });
    }
  }
  return (
    closers +
    terminated
      .reverse()
      .map((each) => `\n${each.indentation}${each.terminator}`)
      .join('')
  );
}

/**
 * The longest beginning of the text that is complete: lines after which nothing is open, or else what the first line has
 * before the first thing that it leaves open.
 */
export function completeBeginning(text: string, place: Place): number {
  const lines = filledLines(text);
  const last = lines.findLast(({ end }) => isComplete(text.slice(0, end), place));
  const [first] = lines;
  if (last || !first || uncaughtTry.test(first.text)) return last?.end ?? 0;
  const line = text.slice(0, first.end);
  const starts = [openedIn(line, place)[0]?.at ?? -1, openElement(line, place), headStart(line, place)];
  return meaningfulEnd(text, Math.min(first.end, ...starts.filter((at) => at !== -1)));
}

function isComplete(text: string, place: Place): boolean {
  if (place.within === 'comment') return true;
  return missingClosers(text, place) === '' && openElement(text, place) === -1;
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

/** Where the text ends without half a word, operators and opening brackets; 0 if too little is left. */
export function meaningfulEnd(text: string, end: number): number {
  const cut = text.slice(0, end);
  const isInsideWord = /\w$/.test(cut) && (end === text.length || /\w/.test(text[end] ?? ''));
  const whole = (isInsideWord ? cut.replace(/\b\w+$/, '') : cut).replace(danglingEnd, '');
  return whole.trim().length < minChars || keywordsOnly.test(whole) ? 0 : whole.length;
}

/** Where the first element begins that the text does not end; -1 if it ends all. */
function openElement(text: string, { language }: Place): number {
  if (language.terminatorOf('<a>') === null) return -1;
  const open: number[] = [];
  for (const { 1: slash, 2: end, index, 0: tag } of text.matchAll(
    /(?<![\w.])<(\/?)[a-zA-Z][\w.:-]*(?:[^<>]|=>)*(>?)/g,
  )) {
    if (slash === '/') open.pop();
    else if (end === '' || language.terminatorOf(tag) !== null) open.push(index);
  }
  return open[0] ?? -1;
}

/** Where a line begins to open a block that needs an end of its own; -1 if it opens none. */
function headStart(line: string, { language }: Place): number {
  const keyword = language.family === 'ends' ? line.search(/[;\s]+(?:do|then)\b/) : -1;
  if (keyword !== -1) return keyword;
  return language.terminatorOf(line.trim()) === null ? -1 : line.trimEnd().search(language.opener ?? /$/);
}
