// What past edits replaced, as words that can be looked for elsewhere.
import { changesBetween, isWord, type PastEdit, wordsOf } from './text-edit.ts';

/** These words became those; both are within a line. The words that went have something to look for. */
export interface Substitution {
  old: string;
  now: string;
  /** Between which words, each time it was made; the newest last. */
  places: Place[];
  /** Whether it is of the newest edit. */
  isNewest: boolean;
}

interface Place {
  left: string;
  right: string;
}

const mostSubstitutions = 8;

/** The newest first; what was taken back since is left out. */
export function substitutionsOf(history: readonly PastEdit[]): Substitution[] {
  const found = new Map<string, Substitution>();
  for (const [age, { before, after }] of history.toReversed().entries())
    for (const { old, now, place } of substitutionsIn(before, after)) {
      const known = found.get(old);
      if (known?.now === now) known.places.unshift(place);
      const isTakenBack = [...found.values()].some((later) => later.old === now && later.now === old);
      if (!known && !isTakenBack) found.set(old, { old, now, places: [place], isNewest: age === 0 });
    }
  return [...found.values()].slice(0, mostSubstitutions);
}

export function isRename({ old, now }: Substitution): boolean {
  return [old, now].every((text) => isWord(text) && wordsOf(text).length === 1);
}

function substitutionsIn(before: string, after: string): { old: string; now: string; place: Place }[] {
  const changes = changesBetween(before, after);
  const kept = before.length - changes.reduce((sum, { start, end }) => sum + end - start, 0);
  // What was written anew, rather than changed, has little in common with what was there.
  if (kept === 0 || 2 * kept < Math.min(before.length, after.length)) return [];
  return changes.flatMap(({ start, end, text }) => {
    const old = before.slice(start, end);
    if (/\n/.test(old + text)) return [];
    // Where words are only added, or an operator is replaced, the word before says where else.
    const added = isTelling(old) ? '' : fromLastWord(before.slice(before.lastIndexOf('\n', start - 1) + 1, start));
    if (added === undefined) return [];
    const place = { left: wordBefore(before.slice(0, start - added.length)), right: wordBehind(before.slice(end)) };
    return [{ old: added + old, now: added + text, place }];
  });
}

/** The end of a line, from its last telling word on. */
function fromLastWord(line: string): string | undefined {
  const words = wordsOf(line);
  const last = words.findLastIndex(isTelling);
  return last === -1 ? undefined : words.slice(last).join('');
}

/** A name, or a number of several digits. */
function isTelling(text: string): boolean {
  return /[\p{L}_$]|\p{N}{2}/u.test(text);
}

/** The last word of a text, with what follows it. */
export function wordBefore(text: string): string {
  return /[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(text.slice(-80))?.[0] ?? '';
}

/** The first word of a text, with what precedes it. */
export function wordBehind(text: string): string {
  return /^[^\p{L}\p{N}_$]*[\p{L}\p{N}_$]+/u.exec(text.slice(0, 80))?.[0] ?? '';
}

/** Where the line has the words, whole and not as a part of their replacement. */
export function occurrencesOf({ old, now }: Substitution, line: string): number[] {
  const inside = now.indexOf(old);
  const found: number[] = [];
  for (let at = line.indexOf(old); at !== -1; at = line.indexOf(old, at + old.length)) {
    const isDone = inside !== -1 && line.startsWith(now, at - inside);
    if (!isDone && isWhole(line, at, old.length)) found.push(at);
  }
  return found;
}

export function substituted(line: string, substitution: Substitution): string {
  const { old, now } = substitution;
  return occurrencesOf(substitution, line).reduceRight(
    (result, at) => result.slice(0, at) + now + result.slice(at + old.length),
    line,
  );
}

const wordCharacter = /[\p{L}\p{N}_$]/u;

function isWhole(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => wordCharacter.test(line[offset - 1] ?? '') && wordCharacter.test(line[offset] ?? '');
  return !cuts(at) && !cuts(at + length);
}
