// Finds the uses of a renamed symbol that still have its old name. They are certainly wrong, so no model is asked about
// them. Also finds namesakes: other symbols with the same name.
import { linesOf, wordAt } from '../../text/lines.ts';
import { changesOf, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import { type Rename, type Uses, usesIn } from './renames.ts';
import type { NamedSource, Use } from './text-before.ts';

/**
 * The probability that a use follows a rename. In the cases that `npm run tool -- edit-cases` takes from histories, 49
 * lines were offered: 41 at the right place, and 32 of these 41 with the right text.
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
  /** The edit of the first line with uses below the cursor (or, if there is none, in the document). */
  next: TextEdit;
  /** The edits of all other lines with uses. */
  others: TextEdit[];
}

/**
 * Undefined if all uses are renamed, except perhaps the one at the cursor, or if the cursor is in the middle of the new
 * name, which may be half typed. cursor: -1 if it is in another document.
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

/** One edit for each line with uses, from the top. */
function renamedLines({ text }: NamedSource, uses: readonly Use[], old: string): TextEdit[] {
  const lines = [...new Set(uses.map(({ line }) => line))].sort((a, b) => a - b);
  return lines.map((line) => {
    const start = text.lineStart(line);
    const next = line + 1 < text.lineCount ? text.lineStart(line + 1) : text.length;
    const now = text.slice(start, next).replace(/[\r\n]+$/, '');
    const here = uses.filter((use) => use.line === line).toSorted((a, b) => b.character - a.character);
    const renamed = here.reduce(
      (result, { character, text: replacement }) =>
        result.slice(0, character) + replacement + result.slice(character + old.length),
      now,
    );
    return { start, end: start + now.length, text: renamed };
  });
}

/**
 * Returns a function that tells whether an edit would rename a namesake. text: the document; its lines end with "\n".
 */
export function namesakesIn(text: string, all: readonly RenameHere[]): (edit: TextEdit) => boolean {
  const lines = linesOf(text);
  const byNames = new Map<string, { old: string; now: string; times: number; places: Set<number> }>();
  for (const { old, now, times, uses } of all) {
    const key = `${old} ${now}`;
    const known = byNames.get(key) ?? { old, now, times: 0, places: new Set() };
    byNames.set(key, known);
    known.times += times;
    for (const { line, character } of [...uses.certain, ...uses.possible])
      known.places.add((lines[line]?.start ?? 0) + character);
  }
  // If the user has renamed two symbols with this name, the others with this name may follow, too.
  const renames = [...byNames.values()].filter(({ times }) => times < 2);
  return (edit) =>
    changesOf(edit, text).some(({ start, end, text: now }) => {
      // The new name may be written as a part of a longer one. If it contains the old name, renaming would never end.
      const made = renames.filter((rename) => now.toLowerCase().includes(rename.now.toLowerCase()));
      let next = start;
      return wordsOf(text.slice(start, end)).some((word) => {
        const at = next;
        next += word.length;
        return made.some(({ old, places }) => word === old && !places.has(at));
      });
    });
}
