// Whole or nothing: what is shown leaves no bracket, string, element or block open. An end that is not complete is cut off,
// or closed where that is safe.
import { headStart, missingClosers, openElement, openedIn, openTag } from './closers.ts';
import { lacksComma } from './commas.ts';
import { depthOf, filledLines } from './indentation.ts';
import { opensBlock } from './languages.ts';
import { lacksHeredocEnd, lacksOperand, lastLine } from './line-ends.ts';
import { meaningfulEnd } from './meaningful-end.ts';
import type { Place } from './place.ts';
import { beginsStatement, isHalfDeclaration, isUnfinished, mayStandAlone } from './statements.ts';

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
    const endsString = place.open.at(-1)?.token === line;
    const isFragment = isFirst
      ? (/^[\W_]*$/.test(line) && isAlone && !endsString) || isUnattached(line, place)
      : isHead && !isAboveBody(text.slice(0, end), place);
    if (!isFragment) return end;
    end = text.slice(0, begin).trimEnd().length;
  }
  return 0;
}

/** Whether what the last line of the text begins stands below, with all that closes it. */
function isAboveBody(text: string, place: Place): boolean {
  const isDeeper = depthOf(place.around.linesBelow[0] ?? '') > depthOf(lastLine(text, place));
  return isDeeper && place.tail === '' && openedIn(text, place).length === 0;
}

/** Whether a line is an attribute of what stands below, and nothing does. */
function isUnattached(line: string, { around, language }: Place): boolean {
  return language.attribute.test(line) && /^(?:[)\]}].*)?$/.test(around.linesBelow[0]?.trim() ?? '');
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
  const starts = [
    openedIn(line, place)[0]?.at ?? -1,
    openTag(line, place),
    openElement(line, place),
    headStart(line, place),
  ];
  const end = meaningfulEnd(text, Math.min(first.end, ...starts.filter((at) => at !== -1)), place);
  const piece = text.slice(0, end);
  const isHalf = (beginsStatement(place) && !mayStandAlone(piece, place)) || isHalfDeclaration(piece, place);
  if (leavesExpressionOpen(piece, place)) return 0;
  return isHalf || lacksComma(piece, place) || lacksOperand(piece, place) || lacksHeredocEnd(piece, place) ? 0 : end;
}

/** Whether the string around the cursor, as an f-string of Python, would end within the braces of an expression. */
function leavesExpressionOpen(text: string, { open, lineStart, around, within }: Place): boolean {
  const at = (open.at(-1)?.at ?? -1) - lineStart;
  if (within !== 'string' || at < 0 || !/(?:\b[fF][rR]?|\$@?)$/.test(around.linePrefix.slice(0, at))) return false;
  const written = (around.linePrefix.slice(at) + text).replace(/\{\{|\}\}/g, '');
  return written.split('{').length > written.split('}').length;
}

function isComplete(text: string, place: Place): boolean {
  if (place.within === 'comment') return true;
  if (leavesExpressionOpen(text, place)) return false;
  const isClosed = missingClosers(text, place) === '' && openTag(text, place) === -1 && openElement(text, place) === -1;
  return isClosed && !isUnfinished(text, place);
}
