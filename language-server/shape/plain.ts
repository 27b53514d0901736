// Languages without a grammar: a suggestion is one line, or one statement in SQL, and must leave no bracket open.
import type { Surroundings } from '../prompt/text-window.ts';
import type { Block } from './blocks.ts';
import { OpenDelimiters } from './delimiters.ts';
import { depthOf, indentationOf } from './indentation.ts';

export type Kind = 'code' | 'data' | 'prose';

const data = new Set('bat dockercompose dockerfile dotenv ini json jsonc jsonl properties toml yaml'.split(' '));
const prose = new Set(['latex', 'markdown', 'plaintext', 'restructuredtext']);

export function kindOf(languageId: string): Kind {
  return data.has(languageId) ? 'data' : prose.has(languageId) ? 'prose' : 'code';
}

/** The block that `{` at the end of the cursor's line opens; null if there is none or it has content. */
export function plainBlockAt(kind: Kind, { linePrefix, lineSuffix, linesBelow }: Surroundings): Block | null {
  const [below = ''] = linesBelow;
  const depth = depthOf(linePrefix);
  if (kind !== 'code' || !/[\w)]\s\{$/.test(linePrefix) || lineSuffix.trim() !== '' || depthOf(below) > depth)
    return null;
  const isClosed = depthOf(below) === depth && below.trim().startsWith('}');
  return { at: 0, closers: isClosed ? '' : '}', indentation: indentationOf(linePrefix) };
}

/** Whether the text leaves no bracket and no quote open, and closes only brackets that its line leaves open. */
function isBalanced(text: string, { linePrefix, lineSuffix }: Surroundings): boolean {
  const closedInLine = OpenDelimiters.in(linePrefix).closers.filter((each) => lineSuffix.includes(each)).length;
  const { opened, surplus, minOpen } = OpenDelimiters.in(text, linePrefix);
  return opened.length === 0 && surplus === '' && minOpen >= closedInLine;
}

/** What ends a statement, by language. In other languages without a grammar, a line is a statement. */
const statementEnds: Readonly<Record<string, string>> = { sql: ';' };

/**
 * Where the first statement of the text ends: at the end of its line, or in SQL after a semicolon or before a blank
 * line.
 */
export function plainEnd(text: string, languageId: string): number {
  const mark = statementEnds[languageId];
  const first = text.search(/\S/);
  const blank = text.slice(first).search(/\n[ \t]*\n/);
  const end = mark === undefined ? text.indexOf('\n', first) : text.indexOf(`${mark}\n`, first) + 1 || first + blank;
  return end < first || end === -1 ? text.length : end;
}

/** Whether the text can be shown as it is. A word in capitals may be a keyword, after which a statement does not end. */
export function fitsPlainly(text: string, isLine: boolean, around: Surroundings): boolean {
  return isBalanced(text, around) && (isLine || !/\b[A-Z]{2,}$/.test(text));
}
