// Proposes lines that were added beside one line for other lines that look like it.

import type { PastChange } from '../../history/past-changes.ts';
import { indentationOf, type Line, nearest } from '../../text/lines.ts';
import { isWord, wordsOf } from '../../text/text-edit.ts';
import type { Candidate } from '../candidate.ts';
import { isTelling } from '../substitutions.ts';
import { mapped, reindented, shapeOf } from './analogous-lines.ts';

const maxLines = 6;
const maxOtherWords = 3;
const maxPlaces = 20;
/** Lines that are this near already are not added again: of 2,380 such proposals one was right. */
const nearLines = 3;

export function repeatedInsertions(lines: readonly Line[], changes: readonly PastChange[], path: string): Candidate[] {
  return changes
    .filter((change) => change.before.length === 0 && change.path === path && change.after.length <= maxLines)
    .flatMap((change) => {
      const first = placeOf(change.after, lines);
      if (first === undefined) return [];
      return [
        ...beside(lines, change, first, first - 1, true),
        ...beside(lines, change, first, first + change.after.length, false),
      ];
    });
}

/** The number of the line where these lines begin; undefined if they occur nowhere or have no words. */
function placeOf(added: string[], lines: readonly Line[]): number | undefined {
  if (!added.some(isTelling)) return undefined;
  const found = lines.findIndex((_, i) => added.every((line, j) => lines[i + j]?.text === line));
  return found === -1 ? undefined : found;
}

function beside(
  lines: readonly Line[],
  change: PastChange,
  first: number,
  beside: number,
  isAbove: boolean,
): Candidate[] {
  const neighbour = lines[beside]?.text;
  if (neighbour === undefined || !isTelling(neighbour)) return [];
  const shape = shapeOf(neighbour);
  const { after } = change;
  const group = `${neighbour.trim()}\n\n${after.join('\n')}`;
  const alike = lines.flatMap(({ text }, i) => (shapeOf(text) === shape ? [i] : []));
  return nearest(alike, first, maxPlaces).flatMap((i): Candidate[] => {
    const { start, end, text } = lines[i] as Line;
    if (i >= first - 1 && i <= first + after.length) return [];
    const others = otherWords(neighbour, text);
    if (!others) return [];
    const [old, now] = [indentationOf(neighbour), indentationOf(text)];
    const added = after.map((line) => mapped(reindented(line, old, now), others));
    if (standNear(added, lines, isAbove ? i + 1 : i)) return [];
    const at = isAbove ? end + 1 : start;
    const edit = { start: at, end: at, text: added.map((line) => `${line}\n`).join('') };
    const differing = [...others].filter(([word, other]) => word !== other).length;
    return [{ ...edit, finder: 'insertion', group, changes: [change], otherWords: differing }];
  });
}

/** Whether the lines are near the place already, before line `at`, or the first of them would be there twice. */
function standNear(added: string[], lines: readonly Line[], at: number): boolean {
  const isThere = (from: number) => added.every((line, j) => lines[from + j]?.text.trim() === line.trim());
  for (let from = at - nearLines - added.length + 1; from < at + nearLines; from++) if (isThere(from)) return true;
  const [first = ''] = added;
  return isTelling(first) && lines[at]?.text.trim() === first.trim();
}

/** Which words replace which; undefined if that is not clear, or hardly any word is the same. */
function otherWords(line: string, other: string): Map<string, string> | undefined {
  const others = new Map<string, string>();
  const [words, here] = [wordsOf(line.trim()), wordsOf(other.trim())];
  for (const [i, word] of words.entries()) {
    if (!isWord(word)) continue;
    const there = here[i] ?? '';
    if ((others.get(word) ?? there) !== there) return undefined;
    others.set(word, there);
  }
  const differing = [...others].filter(([word, there]) => word !== there).length;
  return differing <= maxOtherWords && differing < others.size ? others : undefined;
}
