// Completion in a block that has been opened but is still empty: the text becomes its body, followed by the closing
// line if that is missing.
import { spliced } from '../documents/long-text.ts';
import { depthOf, indentationOf } from './indentation.ts';
import { isInlineElement, opensBlock } from './languages.ts';
import type { Place } from './place.ts';
import { closerFor, isBracket } from './scanner.ts';

/** For a cursor right after a block's opener: the place as it would be after pressing Enter; null elsewhere. */
export function asIfEntered(place: Place): Place | null {
  const { language, around, document } = place;
  const { linePrefix, lineSuffix, linesBelow } = around;
  const isInBrackets = language.family === 'indentation' && place.open.length > 0;
  if (!opensBlock(linePrefix, language) || isInBrackets || /\s$/.test(linePrefix)) return null;
  const isValue =
    language.family !== 'data' && (language.literal.test(linePrefix) || place.open.at(-1)?.token === '${');
  if (isValue || isInlineElement(linePrefix, [...around.linesAbove, ...linesBelow], language)) return null;
  const closer = closerOf(linePrefix, place);
  const rest = lineSuffix.trim();
  const isEmptyBody = closer !== '' && rest.startsWith(closer);
  const depth = depthOf(linePrefix);
  if (rest === '' ? depthOf(linesBelow[0] ?? '') > depth : !isEmptyBody) return null;
  const base = indentationOf(linePrefix);
  const lineBreak = `\n${base}${place.unit}`;
  const { text, offset } = document;
  // The bracket that the editor has closed moves to its own line.
  const blank = rest === '' ? 0 : (/^\s*/.exec(text.slice(offset, offset + lineSuffix.length))?.[0].length ?? 0);
  const entered = rest === '' ? lineBreak : `${lineBreak}\n${base}`;
  return {
    ...place,
    document: { ...document, text: spliced(text, offset, offset + blank, entered), offset: offset + lineBreak.length },
    around: {
      ...around,
      linePrefix: lineBreak.slice(1),
      lineSuffix: '',
      linesAbove: [linePrefix, ...around.linesAbove].slice(0, 3),
    },
    extent: language.family === 'data' ? 'line' : 'block',
    depth,
    lineBreak,
    tail: rest === '' ? missingCloser(linePrefix, closer, place) : `\n${base}${rest}`,
    replaces: rest === '' ? 0 : lineSuffix.length,
  };
}

/** For a cursor on a blank line that is all there is in a block or in brackets; null elsewhere. */
export function firstInBlock(place: Place): Place | null {
  const { around, language } = place;
  const [above = ''] = around.linesAbove;
  const [below = ''] = around.linesBelow;
  const bracket = place.open.at(-1);
  const isInBrackets = bracket !== undefined && isBracket(bracket) && above.endsWith(bracket.token);
  const isBlank = around.linePrefix.trim() === '' && (opensBlock(above, language) || isInBrackets);
  const isInside = depthOf(around.linePrefix) > depthOf(above) || around.linePrefix === '';
  if (!isBlank || !isInside || depthOf(below) > depthOf(above)) return null;
  return {
    ...place,
    extent: 'block',
    depth: depthOf(above),
    tail: missingCloser(above, closerOf(above, place), place),
  };
}

/** What closes the block that a line opens; '' if nothing does, as in Python. */
function closerOf(opener: string, { open, language, lineStart }: Place): string {
  const bracket = open.at(-1);
  const isOfLine = bracket?.token === '{' && bracket.at >= lineStart;
  const isBracketed = bracket && (isOfLine || opener.trimEnd().endsWith(bracket.token));
  return isBracketed ? closerFor(bracket) : (language.terminatorOf(opener.trim()) ?? '');
}

function missingCloser(opener: string, closer: string, { open, unclosed, around }: Place): string {
  const bracket = open.at(-1);
  const [below = ''] = around.linesBelow;
  const isBracketed = bracket !== undefined && closer === closerFor(bracket);
  const isBelow = depthOf(below) === depthOf(opener) && below.trim().startsWith(closer);
  const isMissing = isBracketed ? unclosed.includes(bracket) : closer !== '' && !isBelow;
  return isMissing ? `\n${indentationOf(opener)}${closer}` : '';
}
