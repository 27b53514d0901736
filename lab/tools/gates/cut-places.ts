// Makes places out of files: removes some text, as if somebody were about to write it. The text to the right of the
// cursor and below it is as an editor would show it.

import { LongText } from '../../../language-server/documents/long-text.ts';
import { type Situation, situationOf } from '../../../language-server/shape/confidence.ts';
import { depthOf, indentationOf } from '../../../language-server/shape/indentation.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import { grammarOf } from '../../../language-server/syntax/grammars.ts';
import type { FimCase } from '../eval-score.ts';

export type Random = () => number;

/** A generator of random numbers from 0 to 1. The same seed gives the same numbers. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

export interface SourceFile {
  path: string;
  language: string;
  text: string;
}

const cutters = { newLine, restOfLine, insideWord, body, insideLine };
const shares: [keyof typeof cutters, number][] = [
  ['newLine', 0.16],
  ['restOfLine', 0.12],
  ['insideWord', 0.1],
  ['body', 0.4],
  ['insideLine', 0.22],
];

/** A place of a random kind at a random line; null if that line has no such place. */
export function cutPlace(file: SourceFile, random: Random): (FimCase & { kind: Situation }) | null {
  const name = randomCutter(random());
  const lines = file.text.split('\n');
  const at = Math.floor(random() * (lines.length - 2)) + 1;
  const cut = cutters[name](lines, at, file.language, random);
  if (cut === null || cut.middle.trim() === '') return null;
  const document = {
    uri: file.path,
    languageId: file.language,
    text: LongText.of(cut.prefix + cut.suffix),
    offset: cut.prefix.length,
  };
  return { language: file.language, path: file.path, kind: situationOf(placeAt(document, 'auto')), ...cut };
}

/** The cutter for a random number from 0 to 1. */
function randomCutter(number: number): keyof typeof cutters {
  let begin = 0;
  for (const [name, share] of shares) {
    begin += share;
    if (number < begin) return name;
  }
  return 'insideLine';
}

type Cut = Pick<FimCase, 'prefix' | 'suffix' | 'middle'>;

/** Removes the text from column `from` of line `at` to column `to` of line `last`. */
function cutAt(lines: string[], at: number, from: number, to: number, last = at): Cut {
  const begin = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0) + from;
  const end = lines.slice(0, last).reduce((sum, line) => sum + line.length + 1, 0) + to;
  const text = lines.join('\n');
  return { prefix: text.slice(0, begin), suffix: text.slice(end), middle: text.slice(begin, end) };
}

/** One to four lines are missing, and the cursor is at the beginning of the first. */
function newLine(lines: string[], at: number, _: string, random: Random): Cut | null {
  const line = lines[at] ?? '';
  if (line.trim() === '') return null;
  const last = Math.min(lines.length - 1, at + Math.floor(random() * 4));
  return cutAt(lines, at, indentationOf(line).length, lines[last]?.length ?? 0, last);
}

/** The rest of a line is missing, beginning at a word or an operator. */
function restOfLine(lines: string[], at: number, _: string, random: Random): Cut | null {
  return restFrom(lines, at, /(?<=\s|[^\w\s])(?=[\w"'({[])/g, random);
}

function insideWord(lines: string[], at: number, _: string, random: Random): Cut | null {
  return restFrom(lines, at, /(?<=[a-zA-Z])(?=[a-zA-Z])/g, random);
}

function restFrom(lines: string[], at: number, boundary: RegExp, random: Random): Cut | null {
  const line = lines[at] ?? '';
  const places = [...line.matchAll(boundary)].map(({ index }) => index).filter((i) => line.slice(0, i).trim() !== '');
  const from = places[Math.floor(random() * places.length)];
  return from === undefined ? null : cutAt(lines, at, from, line.length);
}

/** A block's lines are missing; the cursor is after the opener, or on the blank line below it. */
function body(lines: string[], at: number, language: string, random: Random): Cut | null {
  const line = lines[at] ?? '';
  const depth = depthOf(line);
  if (!mayOpenBlock(line, language) || depthOf(lines[at + 1] ?? '') <= depth) return null;
  let last = at;
  while (last + 1 < lines.length && (lines[last + 1]?.trim() === '' || depthOf(lines[last + 1] ?? '') > depth)) last++;
  while (lines[last]?.trim() === '') last--;
  if (last - at > 8) return null;
  return random() < 0.5
    ? cutAt(lines, at, line.length, lines[last]?.length ?? 0, last)
    : cutAt(lines, at + 1, indentationOf(lines[at + 1] ?? '').length, lines[last]?.length ?? 0, last);
}

/** Whether the line might open a block. */
function mayOpenBlock(line: string, language: string): boolean {
  const { heads = null, closers = [] } = grammarOf(language) ?? {};
  if (heads) return heads.test(line);
  return /[{>]$|=>$/.test(line.trimEnd()) || (closers.length > 0 && /\w$|\|$|\)$/.test(line.trimEnd()));
}

/** A few words are missing in the middle of a line. */
function insideLine(lines: string[], at: number, _: string, random: Random): Cut | null {
  const line = lines[at] ?? '';
  const places = [...line.matchAll(/(?<=\s|[^\w\s])(?=\w)|(?<=\w)(?=\W)/g)].map(({ index }) => index);
  const first = Math.floor(random() * (places.length - 1));
  const [from, to] = [places[first], places[Math.min(places.length - 1, first + 1 + Math.floor(random() * 6))]];
  if (from === undefined || to === undefined || line.slice(0, from).trim() === '' || to >= line.length) return null;
  return cutAt(lines, at, from, to);
}
