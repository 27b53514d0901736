// Chooses places in a file at which people pause while they type. The missing text is the rest of a word or of a line,
// a statement, a body, a few words, or nothing.
import { depthOf, indentationOf } from '../../../language-server/shape/indentation.ts';
import type { Random } from '../gates/cut-places.ts';

export interface TypedPlace {
  /** The name of the rule that chose the place. */
  cut: string;
  prefix: string;
  /** What the author wrote at the cursor; '' at a quiet place. It may be more than a suggestion should have. */
  middle: string;
  suffix: string;
}

type Cutter = (file: Lines, at: number, random: Random) => TypedPlace | null;

const cutters: [name: string, share: number, Cutter][] = [
  ['word', 0.18, insideWord],
  ['line', 0.18, restOfLine],
  ['bracket', 0.07, afterBracket],
  ['fresh', 0.14, newLine],
  ['body', 0.13, body],
  ['words', 0.09, insideLine],
  ['next line', 0.03, nextLine],
  ['quiet end', 0.07, quietEnd],
  ['quiet blank', 0.04, quietBlank],
  ['quiet block', 0.035, quietBlock],
  ['quiet words', 0.035, quietWords],
];

// The number of lines to try for a place of a kind.
const maxLooks = 12;
// Longer statements are not worth learning.
const maxRows = 30;

/** The lines of a file, and where each begins. */
export class Lines {
  readonly rows: string[];
  private readonly starts: number[] = [];

  constructor(private readonly text: string) {
    this.rows = text.split('\n');
    let start = 0;
    for (const row of this.rows) {
      this.starts.push(start);
      start += row.length + 1;
    }
  }

  row(at: number): string {
    return this.rows[at] ?? '';
  }

  isBlank(at: number): boolean {
    return this.row(at).trim() === '';
  }

  /** A place at this column, without the text up to column `to` of line `last` (by default its end). */
  cut(at: number, from: number, last = at, to = this.row(last).length): TypedPlace {
    const begin = (this.starts[at] ?? 0) + from;
    const end = (this.starts[last] ?? 0) + to;
    return {
      cut: '',
      prefix: this.text.slice(0, begin),
      middle: this.text.slice(begin, end),
      suffix: this.text.slice(end),
    };
  }
}

/** A place of a random kind; null if a few random lines have no such place. */
export function typedPlace(file: Lines, random: Random): TypedPlace | null {
  let number = random();
  const chosen = cutters.find(([, share]) => {
    number -= share;
    return number < 0;
  });
  if (!chosen) return null;
  const [cut, , cutter] = chosen;
  for (let tries = 0; tries < maxLooks; tries++) {
    const place = cutter(file, Math.floor(random() * file.rows.length), random);
    if (place === null || (place.middle.trim() === '') !== cut.startsWith('quiet')) continue;
    // A quiet place keeps the text below: if it were missing, the author would write it.
    return cut.startsWith('quiet') ? { ...place, cut } : { ...place, cut, suffix: newFile(place.suffix, random) };
  }
  return null;
}

/** At some places before a new block or the file's end, removes everything that follows. */
function newFile(suffix: string, random: Random): string {
  const [, next = ''] = /^\s*\n([^\n]*)/.exec(suffix) ?? [];
  return /^[\p{L}@#/]/u.test(next) && random() < 0.4 ? '\n' : suffix;
}

function one<T>(items: T[], random: Random): T | undefined {
  return items[Math.floor(random() * items.length)];
}

function insideWord(file: Lines, at: number, random: Random): TypedPlace | null {
  const words = [...file.row(at).matchAll(/[\p{L}_][\p{L}\p{N}_]{2,}/gu)];
  const word = one(words, random);
  if (!word) return null;
  const typed = 1 + Math.floor(random() * Math.min(5, word[0].length - 1));
  return restFrom(file, at, word.index + typed, random);
}

function restOfLine(file: Lines, at: number, random: Random): TypedPlace | null {
  return atBoundary(file, at, /(?<=\s|[^\p{L}\p{N}_\s])(?=[\p{L}\p{N}_"'`({[&*!$@<])/gu, random);
}

function afterBracket(file: Lines, at: number, random: Random): TypedPlace | null {
  return atBoundary(file, at, /(?<=[([{<"'`])(?=[^\s)\]}>"'`])/g, random);
}

function atBoundary(file: Lines, at: number, boundary: RegExp, random: Random): TypedPlace | null {
  const row = file.row(at);
  const places = [...row.matchAll(boundary)].map(({ index }) => index).filter((i) => row.slice(0, i).trim() !== '');
  const from = one(places, random);
  return from === undefined ? null : restFrom(file, at, from, random);
}

function restFrom(file: Lines, at: number, from: number, random: Random): TypedPlace {
  return file.cut(at, from, lastRow(file, at, from, random));
}

function newLine(file: Lines, at: number, random: Random): TypedPlace | null {
  if (file.isBlank(at)) return null;
  const from = indentationOf(file.row(at)).length;
  return file.cut(at, from, lastRow(file, at, from, random));
}

/** The cursor is at the end of a line, and the following lines of its block are missing. */
function nextLine(file: Lines, at: number, random: Random): TypedPlace | null {
  if (file.isBlank(at) || file.isBlank(at + 1) || depthOf(file.row(at + 1)) < depthOf(file.row(at))) return null;
  return file.cut(at, file.row(at).length, lastRow(file, at + 1, 0, random));
}

/**
 * The last missing line: the one that ends the statement begun at the cursor, or a later one in the same block, as if
 * the author wrote from top to bottom.
 */
function lastRow(file: Lines, at: number, from: number, random: Random): number {
  let last = at;
  for (let open = openIn(file.row(at).slice(from)); open > 0 && last < file.rows.length - 1; last++) {
    if (last - at > maxRows) return at;
    open += openIn(file.row(last + 1));
  }
  const most = random() < 0.45 ? 0 : random() < 0.35 ? 1 + Math.floor(random() * 3) : maxRows;
  const depth = depthOf(file.row(at));
  for (let next = last + 1; next <= last + most && next < file.rows.length; next++) {
    if (file.isBlank(next)) continue;
    if (depthOf(file.row(next)) < depth || (depth === 0 && isAfterBlank(file, next))) break;
    // A closer at this depth belongs to an opener above.
    if (depthOf(file.row(next)) === depth && /^\s*(?:[)\]}]|end\b)/.test(file.row(next)) && openIn(file.row(next)) < 0)
      break;
    last = next;
  }
  return last;
}

const isAfterBlank = (file: Lines, at: number) => file.isBlank(at - 1);

/** How many brackets the text opens without closing them; negative if it closes more. */
function openIn(text: string): number {
  return (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);
}

/** A block's lines are missing. The cursor is after the block's head, or on the blank line below it. */
function body(file: Lines, at: number, random: Random): TypedPlace | null {
  const row = file.row(at);
  const depth = depthOf(row);
  if (file.isBlank(at) || file.isBlank(at + 1) || depthOf(file.row(at + 1)) <= depth) return null;
  if (!/[:{>([|]$|\w$|\)$|=$/.test(row.trimEnd()) || /^\s*(?:\/\/|#|\*|--)/.test(row)) return null;
  let last = at + 1;
  while (last + 1 < file.rows.length && (file.isBlank(last + 1) || depthOf(file.row(last + 1)) > depth)) last++;
  while (file.isBlank(last)) last--;
  if (last - at > 10) return null;
  const next = indentationOf(file.row(at + 1)).length;
  return random() < 0.4 ? file.cut(at, row.length, last) : file.cut(at + 1, next, last);
}

/** A few words are missing before other text of the line. */
function insideLine(file: Lines, at: number, random: Random): TypedPlace | null {
  const places = boundaries(file, at);
  const first = Math.floor(random() * (places.length - 1));
  const [from, to] = [places[first], places[Math.min(places.length - 1, first + 1 + Math.floor(random() * 6))]];
  if (from === undefined || to === undefined || to <= from) return null;
  return file.cut(at, from, at, to);
}

/** The columns at which words begin and end, before the last character of the line. */
function boundaries(file: Lines, at: number): number[] {
  const row = file.row(at);
  const found = [...row.matchAll(/(?<=\s|[^\w\s])(?=\w)|(?<=\w)(?=\W)/g)].map(({ index }) => index);
  return found.filter((index) => row.slice(0, index).trim() !== '' && index < row.trimEnd().length);
}

function quietEnd(file: Lines, at: number): TypedPlace | null {
  return file.isBlank(at) || file.rows.length - at < 3 ? null : file.cut(at, file.row(at).length);
}

function quietBlank(file: Lines, at: number): TypedPlace | null {
  return file.isBlank(at) && at > 0 && at < file.rows.length - 1 ? file.cut(at, file.row(at).length) : null;
}

/** The cursor is on a new line at the end of a block, below its last statement. */
function quietBlock(file: Lines, at: number): TypedPlace | null {
  const indentation = indentationOf(file.row(at));
  const isLast = !file.isBlank(at) && !file.isBlank(at + 1) && depthOf(file.row(at + 1)) < depthOf(file.row(at));
  if (!isLast || /[{([,:]$/.test(file.row(at).trimEnd())) return null;
  const place = file.cut(at, file.row(at).length);
  return { ...place, prefix: `${place.prefix}\n${indentation}` };
}

function quietWords(file: Lines, at: number, random: Random): TypedPlace | null {
  const from = one(boundaries(file, at), random);
  return from === undefined ? null : file.cut(at, from, at, from);
}
