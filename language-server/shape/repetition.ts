// Finds where the model begins to repeat itself, or to repeat a line above or below the cursor. The text is cut there.
import { trivialLine } from '../syntax/grammars.ts';
import type { GeneratedText } from './generated-text.ts';
import { depthOf, filledLines, type Line } from './indentation.ts';
import type { Place } from './place.ts';

const minLoopChars = 4;
const maxLoopChars = 60;
// A correct line may repeat something several times, as in `false, false, false`.
const minCopies = 9;
const newline = 10;
const letter = /\p{L}/u;

/**
 * Where the text begins to repeat itself; text.length if it does not. Not even the first copy is kept, as it is as
 * likely to be wrong as the others.
 */
export function repetitionStart(text: string): number {
  return Math.min(repeatedLines(text), repeatedWords(text, minCopies));
}

/** Where a group of one to four lines begins that occurs three times in a row; text.length if there is none. */
function repeatedLines(text: string): number {
  const split = text.split('\n');
  // The first line has no indentation, since it begins at the cursor.
  const lines = split.map((line) => line.trim());
  const isCopy = (i: number, length: number) =>
    lines.slice(i, i + length).every((line, j) => line === lines[i + length + j] && line === lines[i + 2 * length + j]);
  const isFirstCopy = (i: number, length: number) =>
    i + 3 * length <= lines.length && isCopy(i, length) && /\p{L}{3}/u.test(lines.slice(i, i + length).join(''));
  const first = [...lines.keys()].find((i) => [1, 2, 3, 4].some((length) => isFirstCopy(i, length)));
  return first === undefined
    ? text.length
    : split
        .slice(0, first)
        .map((line) => `${line}\n`)
        .join('').length;
}

/**
 * Where a sequence of characters with a letter begins that occurs `copies` times in a row within a line; text.length if
 * there is none.
 */
export function repeatedWords(text: string, copies: number): number {
  let first = text.length;
  for (let length = minLoopChars; length <= maxLoopChars; length++) {
    let same = 0;
    for (let at = length; at < Math.min(text.length, first + length * copies); at++) {
      const code = text.charCodeAt(at);
      same = code === text.charCodeAt(at - length) && code !== newline ? same + 1 : 0;
      const begin = at + 1 - length * copies;
      if (same >= length * (copies - 1) && letter.test(text.slice(begin, begin + length))) {
        first = Math.min(first, begin);
        break;
      }
    }
  }
  return first;
}

/** Where the text begins to repeat a line that is near the cursor already; text.length if it does not. */
export function repeatedLine(text: string, place: Place, generated: GeneratedText): number {
  const { linePrefix, lineSuffix } = place.around;
  const isRepeated = ({ text: line, begin, end }: Line) => {
    if (end === text.length && generated.mayGrow(text)) return false;
    if (begin > 0) return repeatsNeighbour(line, place);
    // If the cursor's line goes on, its end is not known yet, so shaping.ts compares it.
    return lineSuffix.trim() === '' && repeatsNeighbour(linePrefix + line, place);
  };
  const found = filledLines(text).find(isRepeated);
  return found ? Math.max(0, found.begin - 1) : text.length;
}

/**
 * Whether the line equals the one above the cursor, the next one below, or one of the two after that in the same block.
 */
export function repeatsNeighbour(line: string, { around }: Place): boolean {
  const { linePrefix, linesAbove, linesBelow } = around;
  const [next = ''] = linesBelow;
  if (line.trimEnd() === next && next !== '') return true;
  if (trivialLine.test(line.trim())) return false;
  const depth = depthOf(linePrefix);
  const outside = linesBelow.findIndex((each) => depthOf(each) < depth);
  const block = linesBelow.slice(0, outside === -1 ? undefined : outside).filter((each) => depthOf(each) === depth);
  // A block may contain the same head many times.
  const beside = [...linesAbove.slice(0, 1), next, ...(/[{([:]$/.test(line.trim()) ? [] : block)];
  return beside.some((each) => each.trim() === line.trim());
}

/** Whether the last line of a growing text might turn out to repeat a line above or below. */
export function mayRepeat(text: string, { around }: Place): boolean {
  const at = text.lastIndexOf('\n') + 1;
  const line = ((at === 0 ? around.linePrefix : '') + text.slice(at)).trim();
  return [...around.linesBelow, ...around.linesAbove.slice(0, 1)].some((each) => each.trim().startsWith(line));
}
