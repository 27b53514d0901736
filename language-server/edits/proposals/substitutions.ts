// The words that past edits replaced, so that they can be looked for elsewhere.

import type { PastChange } from '../history/past-changes.ts';
import { isInString } from '../text/lines.ts';
import { changesBetween, isWord, wordsOf } from '../text/text-edit.ts';
import { partSubstitutions } from './name-parts.ts';

/** Words of one line that were replaced by others. The old words have a name or a number, to look for. */
export interface Substitution {
  old: string;
  now: string;
  /** Whether the old word is a part of names, to be looked for within other names, too. */
  isPart: boolean;
  /** The changes that made it, the newest first. */
  changes: PastChange[];
  /** The words on both sides, for each time that it was made. */
  places: Neighbours[];
  /** If present, the old words are looked for only between these characters. */
  between?: Neighbours;
}

export interface Neighbours {
  left: string;
  right: string;
}

const maxSubstitutions = 16;
const longestSpan = 80;

/** The substitutions, newest first, without those that were undone since. */
export function substitutionsOf(changes: readonly PastChange[]): Substitution[] {
  const found = new Map<string, Substitution>();
  for (const change of changes)
    for (const { place, ...each } of substitutionsIn(change)) {
      const key = JSON.stringify([each.old, each.isPart]);
      const known = found.get(key);
      // If the newest change is still being typed, it will become what the same words became before.
      if (known && known.changes[0]?.age === 0 && each.now.startsWith(known.now)) known.now = each.now;
      if (known?.now === each.now) {
        known.places.push(place);
        if (!known.changes.includes(change)) known.changes.push(change);
      }
      const isTakenBack = [...found.values()].some((later) => later.old === each.now && later.now === each.old);
      if (!known && !isTakenBack) found.set(key, { ...each, changes: [change], places: [place] });
    }
  return [...found.values()].slice(0, maxSubstitutions);
}

export function isRename({ old, now }: Pick<Substitution, 'old' | 'now'>): boolean {
  return isName(old) && isName(now);
}

function isName(text: string): boolean {
  return isWord(text) && wordsOf(text).length === 1;
}

type Found = Pick<Substitution, 'old' | 'now' | 'isPart'> & { place: Neighbours };

function substitutionsIn({ before, after }: PastChange): Found[] {
  const [old, now] = [before.join('\n'), after.join('\n')];
  const changes = changesBetween(old, now);
  const kept = old.length - changes.reduce((sum, { start, end }) => sum + end - start, 0);
  const isOneName =
    changes.length === 1 && changes.every(({ start, end, text }) => isName(old.slice(start, end)) && isName(text));
  // If the lines have little in common, they were rewritten rather than changed.
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
    if (isTelling(old.slice(start, end))) {
      add(start, end, text);
      continue;
    }
    // If words are only added, or an operator is replaced, a word beside is included, so that there is something to
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
    isTelling(old.slice(first.start, last.end))
  )
    add(first.start, last.end, now.slice(first.start, now.length - (old.length - last.end)));
  for (const { place, ...rename } of [...found])
    if (isRename(rename)) for (const part of partSubstitutions(rename)) found.push({ ...part, isPart: true, place });
  return found;
}

/** The end of a line, from its last telling word on. */
function fromLastWord(line: string): string | undefined {
  const words = wordsOf(line);
  const last = words.findLastIndex(isTelling);
  return last === -1 ? undefined : words.slice(last).join('');
}

/** The beginning of a line, up to its first telling word. */
function upToFirstWord(line: string): string | undefined {
  const words = wordsOf(line);
  const first = words.findIndex(isTelling);
  return first === -1 ? undefined : words.slice(0, first + 1).join('');
}

/** Whether the text has a name or a number of several digits, which can be looked for. */
export function isTelling(text: string): boolean {
  return /[\p{L}_$]|\p{N}{2}/u.test(text);
}

/** The last word of a text, with what follows it. */
export function wordBefore(text: string): string {
  return /[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(text.slice(-80))?.[0] ?? '';
}

/** The first word of a text, with what precedes it. */
export function wordAfter(text: string): string {
  return /^[^\p{L}\p{N}_$]*[\p{L}\p{N}_$]+/u.exec(text.slice(0, 80))?.[0] ?? '';
}

type Sought = Pick<Substitution, 'old' | 'now' | 'isPart' | 'between'>;

/** The same substitution, only between the characters that were beside it when it was last made. */
export function narrowed(substitution: Substitution): Substitution {
  const [{ left, right } = { left: '', right: '' }] = substitution.places;
  const between = { left: left.slice(-1), right: right.slice(0, 1) };
  return { ...substitution, between };
}

/** The offsets where the line has the old words, as whole words or parts, but not within their replacement. */
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
  // A word in a string is not another spelling of the name.
  if (isPart && found.some((at) => isInString(line, at))) return line;
  return found.reduceRight((result, at) => result.slice(0, at) + now + result.slice(at + old.length), line);
}

const wordCharacter = /[\p{L}\p{N}_$]/u;

/** Whether these characters neither begin nor end inside a word of the line. */
export function isWhole(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => wordCharacter.test(line[offset - 1] ?? '') && wordCharacter.test(line[offset] ?? '');
  return !cuts(at) && !cuts(at + length);
}

/**
 * Whether these characters begin and end where parts of a name do: at an underscore or a digit, or where capitals begin
 * or end.
 */
function isPartOfName(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => {
    const [left, right] = [line[offset - 1] ?? '', line[offset] ?? ''];
    if (!/\p{L}/u.test(left) || !/\p{L}/u.test(right)) return false;
    return /\p{Lu}/u.test(left) || !/\p{Lu}/u.test(right);
  };
  return !cuts(at) && !cuts(at + length);
}
