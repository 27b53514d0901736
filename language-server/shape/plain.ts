// Languages without a grammar: a suggestion is one line, or one statement in SQL, and must leave no bracket open.
import type { Surroundings } from '../prompt/text-window.ts';
import { OpenDelimiters } from './delimiters.ts';

export type Kind = 'code' | 'data' | 'prose';

const data = new Set('bat dockercompose dockerfile dotenv ini json jsonc jsonl properties toml yaml'.split(' '));
const prose = new Set(['latex', 'markdown', 'plaintext', 'restructuredtext']);

export function kindOf(languageId: string): Kind {
  return data.has(languageId) ? 'data' : prose.has(languageId) ? 'prose' : 'code';
}

/**
 * Where the first statement of the text ends: at the end of its line, or in SQL after a semicolon or before a blank
 * line.
 */
export function plainEnd(text: string, languageId: string): number {
  const first = text.search(/\S/);
  const end = text.slice(first).search(languageId === 'sql' ? /(?<=;)\n|\n[ \t]*\n/ : /\n/);
  return end === -1 ? text.length : first + end;
}

/**
 * Whether the text leaves no bracket and no quote open, closes only brackets that its line leaves open, and does not end
 * inside a line after a word in capitals, which may be a keyword.
 */
export function fitsPlainly(text: string, isLine: boolean, { linePrefix, lineSuffix }: Surroundings): boolean {
  const closedInLine = OpenDelimiters.in(linePrefix).closers.filter((each) => lineSuffix.includes(each)).length;
  const { opened, surplus, minOpen } = OpenDelimiters.in(text, linePrefix);
  const isBalanced = opened.length === 0 && surplus === '' && minOpen >= closedInLine;
  return isBalanced && (isLine || !/\b[A-Z]{2,}$/.test(text));
}
