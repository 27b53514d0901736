// Languages whose syntax is not known: one line, which leaves no bracket open.

import type { Surroundings } from '../prompt/text-window.ts';
import type { Block } from './blocks.ts';
import { depthOf, indentationOf } from './indentation.ts';
import { closerOf } from './signs.ts';
import { code, type TextAround, type Within } from './texts.ts';

export type Kind = 'code' | 'data' | 'prose';

const data = new Set('bat dockercompose dockerfile dotenv ini json jsonc jsonl properties toml yaml'.split(' '));
const prose = new Set(['latex', 'markdown', 'plaintext', 'restructuredtext']);

export function kindOf(languageId: string): Kind {
  return data.has(languageId) ? 'data' : prose.has(languageId) ? 'prose' : 'code';
}

/** What the beginning of a line says of the place at its end. */
export function plainWithin(linePrefix: string): TextAround {
  const outside = linePrefix.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '');
  const isComment = /(?:^|\s)(?:\/\/|--|#\s)/.test(outside);
  return { ...code, within: isComment ? 'comment' : /"/.test(outside) ? 'string' : 'code' };
}

export function plainBlockAt(kind: Kind, { linePrefix, lineSuffix, linesBelow }: Surroundings): Block | null {
  const [below = ''] = linesBelow;
  const depth = depthOf(linePrefix);
  if (kind !== 'code' || !/[\w)]\s\{$/.test(linePrefix) || lineSuffix.trim() !== '' || depthOf(below) > depth)
    return null;
  const isClosed = depthOf(below) === depth && below.trim().startsWith('}');
  return { at: 0, closers: isClosed ? '' : '}', indentation: indentationOf(linePrefix) };
}

/**
 * The brackets that are open behind a text, the innermost last, and how many of them it opens itself. null: it closes what
 * is not open, or leaves a quote open.
 */
function openBehind(text: string, before: readonly string[]): { open: string[]; own: number } | null {
  const code = text.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, '');
  const open = [...before];
  let own = 0;
  for (const sign of code) {
    if (sign in closerOf) {
      open.push(closerOf[sign] ?? '');
      own++;
    } else if (/[)\]}]/.test(sign)) {
      if (open.pop() !== sign) return null;
      own = Math.max(0, own - 1);
    }
  }
  return code.includes('"') ? null : { open, own };
}

/** Whether a text leaves no bracket and no quote open, and closes only what the line has open and does not close itself. */
function isBalanced(text: string, { linePrefix, lineSuffix }: Surroundings): boolean {
  const { open } = openBehind(linePrefix, []) ?? { open: [] };
  const left = open.slice(open.filter((each) => lineSuffix.includes(each)).length);
  return openBehind(text, left)?.own === 0;
}

/** What ends a statement of several lines; others are single lines. */
const statementEnds: Readonly<Record<string, string>> = { sql: ';' };

/** Where a text ends that is one statement: with its line, a mark or a blank line. */
export function plainEnd(text: string, languageId: string, within: Within): number {
  const mark = within === 'code' ? statementEnds[languageId] : undefined;
  const first = text.search(/\S/);
  const blank = text.slice(first).search(/\n[ \t]*\n/);
  const end = mark === undefined ? text.indexOf('\n', first) : text.indexOf(`${mark}\n`, first) + 1 || first + blank;
  return end < first || end === -1 ? text.length : end;
}

/** Whether a text can be shown as it is. */
export function fitsPlainly(text: string, following: string, isLine: boolean, around: Surroundings): boolean {
  // A word in capitals, or one behind a sign and before another word, may be one of the language's own.
  const isKeyword = /\b[A-Z]{2,}$/.test(text) || (/[=(,]\s*[a-z]+$/.test(text) && /^\s\w/.test(following));
  return isBalanced(text, around) && (isLine || !isKeyword) && !endsList(text, around);
}

/** Whether a comma would be the last thing before a closing parenthesis, where few languages allow one. */
export function endsList(text: string, { lineSuffix, linesBelow }: Surroundings): boolean {
  return text.endsWith(',') && /^\s*\)/.test(lineSuffix.trim() || (linesBelow[0] ?? ''));
}
