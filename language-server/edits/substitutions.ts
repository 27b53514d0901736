// What past edits replaced, as words that can be looked for elsewhere.
import { changesBetween, type PastEdit, wordsOf } from './text-edit.ts';

/** These words became those; both are within a line. The words that went have something to look for. */
export interface Substitution {
  old: string;
  now: string;
}

const mostSubstitutions = 8;

/** The newest first, each once; what was taken back since is left out. */
export function substitutionsOf(history: readonly PastEdit[]): Substitution[] {
  const found = new Map<string, Substitution>();
  for (const { before, after } of history.toReversed())
    for (const { old, now } of substitutionsIn(before, after)) {
      const isTakenBack = [...found.values()].some((later) => later.old === now && later.now === old);
      if (!isTakenBack && !found.has(old)) found.set(old, { old, now });
    }
  return [...found.values()].slice(0, mostSubstitutions);
}

function substitutionsIn(before: string, after: string): Substitution[] {
  const changes = changesBetween(before, after);
  const kept = before.length - changes.reduce((sum, { start, end }) => sum + end - start, 0);
  // What was written anew, rather than changed, has little in common with what was there.
  if (kept === 0 || 2 * kept < Math.min(before.length, after.length)) return [];
  return changes.flatMap(({ start, end, text }) => {
    const old = before.slice(start, end);
    if (/\n/.test(old + text)) return [];
    if (isTelling(old)) return [{ old, now: text }];
    // Only added, or an operator: the word before it says where else.
    const left = fromLastWord(before.slice(before.lastIndexOf('\n', start - 1) + 1, start));
    return left === undefined ? [] : [{ old: left + old, now: left + text }];
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

const wordCharacter = /[\p{L}\p{N}_$]/u;

/** The line with every occurrence replaced that is of whole words and is not part of the replacement already. */
export function substituted(line: string, { old, now }: Substitution): string {
  const inside = now.indexOf(old);
  let [result, from] = ['', 0];
  for (let at = line.indexOf(old); at !== -1; at = line.indexOf(old, at + old.length)) {
    const isDone = inside !== -1 && line.startsWith(now, at - inside);
    if (isDone || !isWhole(line, at, old.length)) continue;
    result += line.slice(from, at) + now;
    from = at + old.length;
  }
  return result + line.slice(from);
}

function isWhole(line: string, at: number, length: number): boolean {
  const cuts = (offset: number) => wordCharacter.test(line[offset - 1] ?? '') && wordCharacter.test(line[offset] ?? '');
  return !cuts(at) && !cuts(at + length);
}
