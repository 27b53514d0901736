// Finds the uses of a renamed thing that still have its old name. They are wrong as they are, so no model is asked
// about them. Also tells namesakes: uses of other things with the same name.
import { wordAt } from '../../text/lines.ts';
import { changesOf, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import { type Rename, type Uses, usesIn } from './renames.ts';
import type { NamedSource, Use } from './text-before.ts';

/**
 * In 49 of the 16,018 cases that `npm run tool -- edit-cases` has cut, such a line was offered: in 41 the place was
 * right, and in 32 of these also the text.
 */
export const renameProbability = 0.65;

/** A rename, and the places where a document has the old name. */
export interface RenameHere extends Rename {
  uses: Uses;
}

export async function renamesHere(document: NamedSource, renames: readonly Rename[]): Promise<RenameHere[]> {
  const here: RenameHere[] = [];
  for (const rename of renames) here.push({ ...rename, uses: await usesIn(document, rename) });
  return here;
}

export interface RenamedUses {
  /** The next line from the cursor on that has uses, with the new name. */
  next: TextEdit;
  /** All other lines that have uses, with the new name. */
  others: TextEdit[];
}

/**
 * Undefined if no use is left except at the cursor, or if the cursor is in the middle of the new name, which may be
 * half typed. cursor: -1 if it is in another document.
 */
export function renamedUses(
  document: NamedSource,
  cursor: number,
  renames: readonly RenameHere[],
  isDismissed: (edit: TextEdit) => boolean,
): RenamedUses | undefined {
  const { before, after } = wordAt(document.text, cursor);
  for (const { old, now, isPure, uses } of renames) {
    const isHalfTyped = after !== '' && before !== '' && before + after === now;
    if (!isPure || isHalfTyped) continue;
    const edits = renamedLines(document, uses.certain, old).filter((edit) => !isDismissed(edit));
    const elsewhere = edits.filter(({ start, end }) => !(start <= cursor && cursor <= end));
    const next = elsewhere.find(({ start }) => start >= cursor) ?? elsewhere[0];
    if (next) return { next, others: edits.filter((edit) => edit !== next) };
  }
  return undefined;
}

/** The edits of whole lines, from the top. */
function renamedLines({ text }: NamedSource, uses: readonly Use[], old: string): TextEdit[] {
  const lines = [...new Set(uses.map(({ line }) => line))].sort((a, b) => a - b);
  return lines.map((line) => {
    const start = text.lineStart(line);
    const next = line + 1 < text.lineCount ? text.lineStart(line + 1) : text.length;
    const now = text.slice(start, next).replace(/[\r\n]+$/, '');
    const here = uses.filter((use) => use.line === line).toSorted((a, b) => b.character - a.character);
    const renamed = here.reduce(
      (result, { character, text: become }) =>
        result.slice(0, character) + become + result.slice(character + old.length),
      now,
    );
    return { start, end: start + now.length, text: renamed };
  });
}

/** Returns whether an edit would rename a namesake. text: that of the document, with "\n" between its lines. */
export function namesakesIn(text: string, all: readonly RenameHere[]): (edit: TextEdit) => boolean {
  const keyOf = ({ old, now }: Pick<Rename, 'old' | 'now'>) => `${old} ${now}`;
  // If the user has given the same new name to two things, a third one may follow, too.
  const timesOf = (key: string) => all.reduce((sum, each) => sum + (keyOf(each) === key ? each.times : 0), 0);
  const renames = all.filter((rename) => timesOf(keyOf(rename)) < 2);
  const ownPlaces = new Map<string, Set<string>>(renames.map((rename) => [keyOf(rename), new Set()]));
  for (const rename of renames)
    for (const { line, character } of [...rename.uses.certain, ...rename.uses.possible])
      ownPlaces.get(keyOf(rename))?.add(`${line}:${character}`);
  return (edit) =>
    changesOf(edit, text).some(({ start, end, text: now }) => {
      const [old, made] = [wordsOf(text.slice(start, end)), now.toLowerCase()];
      // The new name may be a part of a longer one: if it contains the old name, renaming could go on for ever.
      const isMade = (name: string) => made.includes(name.toLowerCase());
      return renames.some((rename) => {
        let at = start;
        return old.some((word) => {
          const place = at;
          at += word.length;
          if (word !== rename.old || !isMade(rename.now)) return false;
          return !ownPlaces.get(keyOf(rename))?.has(positionIn(text, place));
        });
      });
    });
}

function positionIn(text: string, at: number): string {
  const before = text.slice(0, at);
  return `${before.split('\n').length - 1}:${at - (before.lastIndexOf('\n') + 1)}`;
}
