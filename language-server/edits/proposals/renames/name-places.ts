// Where a name stands in the code of a document, and which brackets are around it there.
import type { Language } from '../../../rules/language.ts';
import { type Open, Scanner, scan, within } from '../../../rules/scanner.ts';
import { linesOf } from '../../text/lines.ts';

export interface NamePlace {
  at: number;
  /** Of the line that the name stands in. */
  lineStart: number;
  lineEnd: number;
  /** The line up to the name, and what follows it there. */
  before: string;
  behind: string;
  /** Whether it is named as a member of this object or class, and not by itself. */
  isOwnMember: boolean;
  /** The innermost first. */
  brackets: Bracket[];
}

export interface Bracket {
  token: string;
  /** What stands before it, at most so much as says what it opens. */
  before: string;
  /** What stands behind the one that closes it, which is looked for now; '' if that is far away, or missing. */
  readonly behind: string;
}

// A name with more places is a word of every other line. Looking them all through would keep a key waiting.
const maxPlaces = 200;
const maxChars = 100_000;
const maxBrackets = 6;
const charsToCloser = 2000;
const charsBeside = 100;

const qualified = /(?:(?<!\.)\.|[\p{L}\p{N}_$)\]]->|::)\s*$/u;
const ownReceiver = /(?:^|[^\p{L}\p{N}_$.>:])(?:this|self|cls|super|super\(\)|Self|\$this)[?!]?(?:\.|->|::)\s*$/u;

/** Not as the member of something else, which has its own names; undefined if not all of them can be told. */
export function namePlaces(text: string, name: string, language: Language): NamePlace[] | undefined {
  if (!text.includes(name)) return [];
  if (text.length > maxChars) return undefined;
  const scanner = new Scanner(text, language, []);
  const places: NamePlace[] = [];
  for (const { start, end, text: line } of linesOf(text)) {
    if (!text.slice(start, end).includes(name)) continue;
    if (line === '') return undefined;
    const open = scanner.to(start).open.slice(-maxBrackets);
    for (const { index } of line.matchAll(wholeWord(name))) {
      if (places.length === maxPlaces) return undefined;
      const [at, before] = [start + index, line.slice(0, index)];
      const opened = openAt(before, start, open, language);
      if (within(opened, language) !== 'code') continue;
      const above = text.slice(Math.max(0, at - charsBeside), at);
      const isOwnMember = ownReceiver.test(above);
      if ((qualified.test(above) || before.endsWith('#')) && !isOwnMember && !isImported(before)) continue;
      const behind = line.slice(index + name.length);
      const brackets = bracketsAround(text, at + name.length, opened, language);
      places.push({ at, lineStart: start, lineEnd: end, before, behind, isOwnMember, brackets });
    }
  }
  return places;
}

export function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'gu');
}

/** In a path to what is imported, the dots say where it is. */
function isImported(before: string): boolean {
  return /^\s*(?:pub\s+)?(?:import|use)\s/.test(before);
}

function openAt(before: string, lineStart: number, open: readonly Open[], language: Language): Open[] {
  const inherited = new Set(open);
  return scan(before, language, open).open.map((each) =>
    inherited.has(each) ? each : { ...each, at: each.at + lineStart },
  );
}

function bracketsAround(text: string, end: number, open: readonly Open[], language: Language): Bracket[] {
  return open
    .slice(-maxBrackets)
    .map((each, _, all) => ({
      token: each.token,
      before: text.slice(Math.max(0, each.at - charsBeside), each.at),
      get behind() {
        const closer = closerOf(each, text.slice(end, end + charsToCloser), all, language);
        const from = closer === undefined ? text.length : end + closer + 1;
        return text.slice(from, from + charsBeside);
      },
    }))
    .reverse();
}

/** Where a bracket is closed that is open at the beginning of a text. */
function closerOf(bracket: Open, text: string, open: readonly Open[], language: Language): number | undefined {
  const scanner = new Scanner(text, language, open);
  for (let end = 0; end < text.length; ) {
    end = text.indexOf('\n', end) + 1 || text.length;
    const found = scanner.to(end).outer.find(({ closes }) => closes === bracket);
    if (found) return found.at;
  }
  return undefined;
}
