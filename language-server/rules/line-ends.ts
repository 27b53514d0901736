// Whether the last line of a text lacks what must follow: an operand behind an operator, or what ends its statement.

import { depthOf, filledLines } from './indentation.ts';
import { hasTags } from './languages.ts';
import type { Place } from './place.ts';
import { closersOnly, scan, within } from './scanner.ts';

// A dot may end a range, and two signs an expression.
const dangling = /(?:[=<]|(?:^|\W)\$|&&|\|\||::|->|(?:^|[^.])\.|\s\.\.|(?:^|[^+])\+|(?:^|[^-])-|\s[%/|])$/;
const lacksRight = /[\w)\]]\s>$|\b(?:extends|implements|instanceof)$/;
// What a colon may end: a label, or a head in PHP.
const label = /^(?:(?:case|default|else|elseif|for|foreach|if|switch|while)\b.*|[A-Za-z_]\w*(?: \w+)?):$/;
// The first half of a choice; strings may have question marks, and so may types in Java.
const halfChoice = /\s\?\s(?!(?:extends|super)\s|.*\s:(?:\s|$))/;
const strings = /(["'`])(?:\\.|(?!\1).)*\1/g;
const heredoc = /<<[-~]?(["']?)([A-Z_]{2,})\b\1/;
const maxLineChars = 300;
const expressionEnd = /[\w"'`)\]]$/;
// Lines that need no semicolon although they end like expressions: directives, attributes, macros.
const withoutSemicolon = /^(?:[#@]|<\?|[A-Z_][A-Z_\d]*(?:\(.*\))?$)/;
// An element, or what opens a list of them, and a macro that goes on.
const elementAbove = /[,\\]$|[\w>\]]\{$|\benum\b|\bmatch\s*\(.*\{$|\bswitch \{$|\bnew\s(?!\s*class\b)[^()]*\{$/;
// Behind parentheses, a brace in the same line may begin a class.
const objectAbove = /\bnew\s(?!\s*class\b)/;
const goesOn =
  /^(?:[{.?:)\],]|&&|\|\||[-=]>|<<|[-+*/%<>=&|!]=?\s|(?:extends|implements|permits|throws|where)\b|(?:group|join|orderby|select)\s\w)/;

/** Whether a text of lines is begun whose end is not there, as that of `<<~END` in Ruby. */
export function lacksHeredocEnd(text: string, place: Place): boolean {
  if (place.language.family !== 'ends' || place.within !== 'code') return false;
  const [, , name] = heredoc.exec(text) ?? [];
  const lines = [...text.split('\n').slice(1), ...place.around.linesBelow];
  return name !== undefined && !lines.some((line) => line.trim() === name);
}

/** Whether an operand would be missing behind the text. Commands and sentences may end with any sign. */
export function lacksOperand(text: string, place: Place): boolean {
  const { language, around } = place;
  // All of JSON is keys and their values.
  if (language.family === 'data') return !language.endsWithLine && /:\s*$/.test(text);
  const isCode = language.family !== 'tags' && language.quotes.length > 0 && !language.rawQuotes.includes("'");
  if (!isCode || !endsOpen(text, place)) return false;
  const { open } = scan(text, language, place.open);
  if (within(open, language) !== 'code') return false;
  if (around.lineSuffix.trim() !== '') return closersOnly.test(around.lineSuffix);
  const below = around.linesBelow[0] ?? '';
  if (isInChain(text, place)) return false;
  const isInList = /[([]/.test(open.at(-1)?.token ?? '');
  return isInList ? closersOnly.test(below) : depthOf(below) <= depthOf(around.linePrefix);
}

/** Whether the line above ends like the text, a line of its own, so that what both lack stands below. */
function isInChain(text: string, { language, around }: Place): boolean {
  const [above = '', below = ''] = [around.linesAbove[0], around.linesBelow[0]];
  const isOwnLine = around.linePrefix.trim() === '' && !text.trim().includes('\n');
  const isOpen = dangling.test(above) && within(scan(above, language).open, language) === 'code';
  return isOwnLine && isOpen && depthOf(below) >= depthOf(around.linePrefix);
}

function endsOpen(text: string, place: Place): boolean {
  const { language, around } = place;
  const line = lastLine(text, place).slice(-maxLineChars).trim();
  if (dangling.test(text.trimEnd()) || (!hasTags(language) && lacksRight.test(line))) return true;
  if (language.family !== 'brackets' && language.family !== 'ends') return false;
  const isLabel = language.hasObjects ? /^(?:case|default)\b/.test(line) : label.test(line);
  if (language.family === 'brackets' && line.endsWith(':') && !isLabel && around.lineSuffix.trim() === '') return true;
  const below = around.linesBelow[0] ?? '';
  const isBegun = isHalfChoice(`${around.linePrefix.slice(-maxLineChars)} `);
  return language.statementEnd === '' && isHalfChoice(line) && !isBegun && !/^\s*:/.test(below);
}

function isHalfChoice(line: string): boolean {
  return halfChoice.test(line.replace(strings, '$1$1'));
}

/** Whether the text's last line, a statement of its own, would run together with the next one. */
export function lacksSemicolon(text: string, place: Place): boolean {
  const { language, around } = place;
  if (language.semicolons === 'none' || place.within !== 'code') return false;
  const [last, above] = filledLines(around.linePrefix + text)
    .reverse()
    .map((line) => line.text);
  const line = (last ?? '').trim();
  if (!expressionEnd.test(line) || withoutSemicolon.test(line) || language.attribute.test(line)) return false;
  const { open } = scan(text, language, place.open);
  const isStatement = within(open, language) === 'code' && /^\{?$/.test(open.at(-1)?.token ?? '');
  const before = (above ?? around.linesAbove[0] ?? '').trim().slice(-maxLineChars);
  const isOwnBrace = before === '{' && above === undefined;
  const head = isOwnBrace ? `${around.linesAbove[1]?.trim()} {` : before;
  const isObject = isOwnBrace && objectAbove.test(head);
  const isElement =
    isObject || elementAbove.test(head) || language.literal.test(head) || /^\},/.test(place.tail.trim());
  const below = around.linesBelow[0] ?? '';
  const next = (place.tail || below).trim();
  const isBelow = goesOn.test(next) || depthOf(below) > depthOf(last ?? '');
  const isValue = language.semicolons === 'between' && /^(?:\}|$)/.test(next);
  return isStatement && !isElement && !isBelow && !isValue;
}

/** The text's last line that is not blank, with what stands before it. */
export function lastLine(text: string, { around }: Place): string {
  const written = text.trimEnd();
  const begin = written.lastIndexOf('\n') + 1;
  return begin === 0 ? around.linePrefix + written : written.slice(begin);
}
