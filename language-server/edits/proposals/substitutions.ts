// The words that past edits replaced, and their occurrences elsewhere.
import type { PastChange } from '../history/past-changes.ts';
import { isInString } from '../text/lines.ts';
import { changesBetween, isName, wordsOf } from '../text/text-edit.ts';
import { partSubstitutions } from './name-parts.ts';

/** A replacement of words within one line. The old words contain a name or a number to look for. */
export interface Substitution {
  old: string;
  now: string;
  /** Whether the old word is a part of a name, and is looked for within other names. */
  isPart: boolean;
  /** The past changes that made this substitution, the newest first. */
  changes: PastChange[];
  /** What was to the left and right of the old words, each time that they were replaced. */
  places: Neighbours[];
  /** If present, the old words are replaced only between these characters. */
  between?: Neighbours;
}

export interface Neighbours {
  left: string;
  right: string;
}

const maxSubstitutions = 16;
const longestSpan = 80;

/** The substitutions, newest first, without those that later changes undid. */
export function substitutionsOf(changes: readonly PastChange[]): Substitution[] {
  const found = new Map<string, Substitution>();
  for (const change of changes)
    for (const { place, ...words } of substitutionsIn(change)) {
      const key = JSON.stringify([words.old, words.isPart]);
      const later = found.get(key);
      // If the newest change looks half typed, it counts as the earlier substitution of the same words.
      if (later && later.changes[0]?.age === 0 && words.now.startsWith(later.now)) later.now = words.now;
      if (later?.now === words.now) {
        later.places.push(place);
        if (!later.changes.includes(change)) later.changes.push(change);
      }
      const isUndone = [...found.values()].some(({ old, now }) => old === words.now && now === words.old);
      if (!later && !isUndone) found.set(key, { ...words, changes: [change], places: [place] });
    }
  return [...found.values()].slice(0, maxSubstitutions);
}

export function isRename({ old, now }: Pick<Substitution, 'old' | 'now'>): boolean {
  return isName(old) && isName(now);
}

type Found = Pick<Substitution, 'old' | 'now' | 'isPart'> & { place: Neighbours };

function substitutionsIn({ before, after }: PastChange): Found[] {
  const [old, now] = [before.join('\n'), after.join('\n')];
  const changes = changesBetween(old, now);
  const kept = old.length - changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const isOneName =
    changes.length === 1 && changes.every(({ start, end, text }) => isName(old.slice(start, end)) && isName(text));
  // If the lines have little in common, they were rewritten, and no word is the replacement of another.
  if (kept === 0 || (!isOneName && 3 * kept < Math.min(old.length, now.length))) return [];
  const found: Found[] = [];
  const add = (start: number, end: number, text: string, isPart = false) => {
    if (!/\n/.test(old.slice(start, end) + text))
      found.push({
        ...{ old: old.slice(start, end), now: text, isPart },
        place: { left: wordBefore(old.slice(0, start)), right: wordAfter(old.slice(end)) },
      });
  };
  for (const { start, end, text } of changes) {
    if (isDistinctive(old.slice(start, end))) {
      add(start, end, text);
      continue;
    }
    // If words are only added, or only an operator is replaced, a neighbour is included, so that there is a word to
    // look for.
    const left = fromLastWord(old.slice(old.lastIndexOf('\n', start - 1) + 1, start));
    const right = upToFirstWord(old.slice(end).split('\n', 1)[0] ?? '');
    if (left !== undefined) add(start - left.length, end, left + text);
    if (right !== undefined) add(start, end + right.length, text + right);
  }
  const [first, last] = [changes[0], changes.at(-1)];
  if (
    first &&
    last &&
    first !== last &&
    last.end - first.start <= longestSpan &&
    isDistinctive(old.slice(first.start, last.end))
  )
    add(first.start, last.end, now.slice(first.start, now.length - (old.length - last.end)));
  for (const { place, ...rename } of [...found])
    if (isRename(rename)) for (const part of partSubstitutions(rename)) found.push({ ...part, isPart: true, place });
  return found;
}

/** The end of a line, from its last distinctive word on. */
function fromLastWord(line: string): string | undefined {
  const words = wordsOf(line);
  const last = words.findLastIndex(isDistinctive);
  return last === -1 ? undefined : words.slice(last).join('');
}

/** The beginning of a line, up to the end of its first distinctive word. */
function upToFirstWord(line: string): string | undefined {
  const words = wordsOf(line);
  const first = words.findIndex(isDistinctive);
  return first === -1 ? undefined : words.slice(0, first + 1).join('');
}

/** Whether the text contains a name or a number of several digits, so that it is worth looking for. */
export function isDistinctive(text: string): boolean {
  return /[\p{L}_$]|\p{N}{2}/u.test(text);
}

/** The end of a text, from its last word on. */
export function wordBefore(text: string): string {
  return /[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(text.slice(-80))?.[0] ?? '';
}

/** The beginning of a text, up to the end of its first word. */
export function wordAfter(text: string): string {
  return /^[^\p{L}\p{N}_$]*[\p{L}\p{N}_$]+/u.exec(text.slice(0, 80))?.[0] ?? '';
}

type Sought = Pick<Substitution, 'old' | 'now' | 'isPart' | 'between'>;

/** The same substitution, limited to places between the same two characters as when it was last made. */
export function narrowed(substitution: Substitution): Substitution {
  const [{ left, right } = { left: '', right: '' }] = substitution.places;
  const between = { left: left.slice(-1), right: right.slice(0, 1) };
  return { ...substitution, between };
}

/** The offsets of the old words (whole words, or parts of names) in the line, except where it has the new words. */
export function occurrencesOf({ old, now, isPart, between }: Sought, line: string): number[] {
  // The first part of a name may have another case: if Rate became VatRate, then vatRate is already done.
  const cased = (text: string) => (isPart ? text.toLowerCase() : text);
  const inside = cased(now).indexOf(cased(old));
  const found: number[] = [];
  for (let at = line.indexOf(old); at !== -1; at = line.indexOf(old, at + old.length)) {
    const made = line.slice(Math.max(0, at - inside), at - inside + now.length);
    const isDone = inside !== -1 && cased(made) === cased(now);
    const isThere =
      !between || (line.slice(0, at).endsWith(between.left) && line.startsWith(between.right, at + old.length));
    if (!isDone && isThere && (isPart ? isPartOfName : isWhole)(line, at, old.length)) found.push(at);
  }
  return found;
}

export function substituted(line: string, substitution: Sought): string {
  const { old, now, isPart } = substitution;
  const found = occurrencesOf(substitution, line);
  // A word in a string is not a part of a name.
  if (isPart && found.some((at) => isInString(line, at))) return line;
  return found.reduceRight((result, at) => result.slice(0, at) + now + result.slice(at + old.length), line);
}

const wordCharacter = /[\p{L}\p{N}_$]/u;

/** Whether these characters begin and end at the borders of words. */
export function isWhole(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => wordCharacter.test(line[offset - 1] ?? '') && wordCharacter.test(line[offset] ?? '');
  return !cuts(at) && !cuts(at + length);
}

/** Whether these characters begin and end at the borders of parts: an underscore, a digit, or a change of case. */
function isPartOfName(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => {
    const [left, right] = [line[offset - 1] ?? '', line[offset] ?? ''];
    if (!/\p{L}/u.test(left) || !/\p{L}/u.test(right)) return false;
    return /\p{Lu}/u.test(left) || !/\p{Lu}/u.test(right);
  };
  return !cuts(at) && !cuts(at + length);
}
