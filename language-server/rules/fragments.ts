// Cuts lines off the end of a text so that it ends with a complete line and leaves no block open.
import { filledLines, indentationOf } from './indentation.ts';
import { opensBlock } from './languages.ts';
import type { Place } from './place.ts';
import { closerFor, Scanner, scan } from './scanner.ts';

/** Where the lines at the end begin that only start something: a decorator, a tag, the head of a block. */
export function fragmentStart(text: string, place: Place): number {
  const firstChar = text.search(/\S/);
  let end = text.trimEnd().length;
  while (end > 0) {
    const begin = text.lastIndexOf('\n', end - 1) + 1;
    const isFirst = begin <= firstChar;
    const line = text.slice(begin, end).trim();
    const isHead = opensBlock(line, place.language) || /^[@#]\[?\w[\w.]*\]?$|^[{[(<]+$|[([{]$/.test(line);
    // As the first line, the head of a block is worth showing, but not a bracket or a semicolon alone on a line.
    const isAlone = begin > 0 || (place.around.linePrefix.trim() === '' && !/[)\]}]/.test(line));
    const isFragment = isFirst ? /^[\W_]*$/.test(line) && isAlone : isHead;
    if (!isFragment) return end;
    end = text.slice(0, begin).trimEnd().length;
  }
  return 0;
}

/**
 * Closing brackets, each on its own line, for blocks that the text leaves open; null if it ends inside an expression.
 */
export function missingClosers(text: string, place: Place): string | null {
  const { open } = scan(text, place.language, place.open);
  let closers = '';
  for (const each of open.slice(place.open.length).reverse()) {
    const lineStart = text.lastIndexOf('\n', each.at) + 1;
    const lineEnd = text.indexOf('\n', each.at);
    const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
    if (each.token !== '{' || line.slice(each.at - lineStart + 1).trim() !== '') return null;
    const indented =
      lineStart === 0 && place.lineBreak === '' ? place.around.linePrefix : place.lineBreak.slice(1) + line;
    closers += `\n${indentationOf(lineStart === 0 ? indented : line)}${closerFor(each)}`;
  }
  return closers;
}

/** The end of the last line after which no bracket is open, or of the first line if there is none. */
export function wholeStatements(text: string, place: Place): number {
  const scanner = new Scanner(text, place.language, place.open);
  const ends = filledLines(text).map(({ end }) => end);
  const whole = ends.filter((end) => scanner.to(end).open.length <= place.open.length);
  return whole.at(-1) ?? ends[0] ?? 0;
}
