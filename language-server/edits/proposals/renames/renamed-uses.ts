// The uses of what was renamed: wrong as they are, so nothing needs to be weighed, and no model asked. And what is none
// of them, although it has the same name.
import { wordAt } from '../../history/typed-word.ts';
import { changesOf, type TextEdit, wordsOf } from '../../text/text-edit.ts';
import { type Rename, type Uses, usesIn } from './renames.ts';
import type { NamedSource, Use } from './text-before.ts';

/** 32 of 49 became this line, in 16,018 cases that `npm run tool -- edit-cases` has cut; 41 were changed in some way. */
export const renameProbability = 0.65;

/** A rename, and where a document has the old name. */
export interface RenameHere extends Rename {
  uses: Uses;
}

export async function renamesHere(document: NamedSource, renames: readonly Rename[]): Promise<RenameHere[]> {
  const here: RenameHere[] = [];
  for (const rename of renames) here.push({ ...rename, uses: await usesIn(document, rename) });
  return here;
}

export interface RenamedUses {
  /** The line with the next ones from the cursor on, with the new name. */
  next: TextEdit;
  /** All other lines. */
  others: TextEdit[];
}

/**
 * Undefined if no use is left but at the cursor, which is -1 in another document, or if the cursor is in the middle of the
 * new name, which may be half typed.
 */
export function renamedUses(
  document: NamedSource,
  cursor: number,
  renames: readonly RenameHere[],
  isDismissed: (edit: TextEdit) => boolean,
): RenamedUses | undefined {
  const { before, behind } = wordAt(document.text, cursor);
  for (const { old, now, isPure, uses } of renames) {
    const isHalfTyped = behind !== '' && before !== '' && before + behind === now;
    if (!isPure || isHalfTyped) continue;
    const edits = renamedLines(document, uses.certain, old).filter((edit) => !isDismissed(edit));
    const elsewhere = edits.filter(({ start, end }) => !(start <= cursor && cursor <= end));
    const next = elsewhere.find(({ start }) => start >= cursor) ?? elsewhere[0];
    if (next) return { next, others: edits.filter((edit) => edit !== next) };
  }
  return undefined;
}

/** Whole lines, from the top. */
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

/** Whether an edit would rename what is another's. text: the document's, with "\n" between its lines. */
export function namesakesIn(text: string, all: readonly RenameHere[]): (edit: TextEdit) => boolean {
  const keyOf = ({ old, now }: Pick<Rename, 'old' | 'now'>) => `${old} ${now}`;
  // Who gives two things the same new name may mean a third one, too.
  const timesOf = (key: string) => all.reduce((sum, each) => sum + (keyOf(each) === key ? each.times : 0), 0);
  const renames = all.filter((rename) => timesOf(keyOf(rename)) < 2);
  const itsOwn = new Map<string, Set<string>>(renames.map((rename) => [keyOf(rename), new Set()]));
  for (const rename of renames)
    for (const { line, character } of [...rename.uses.certain, ...rename.uses.possible])
      itsOwn.get(keyOf(rename))?.add(`${line}:${character}`);
  return (edit) =>
    changesOf(edit, text).some(({ start, end, text: now }) => {
      const [old, made] = [wordsOf(text.slice(start, end)), now.toLowerCase()];
      // Also as a part of a longer name: where the new one has the old one in it, that could go on for ever.
      const isMade = (name: string) => made.includes(name.toLowerCase());
      return renames.some((rename) => {
        let at = start;
        return old.some((word) => {
          const place = at;
          at += word.length;
          if (word !== rename.old || !isMade(rename.now)) return false;
          return !itsOwn.get(keyOf(rename))?.has(positionIn(text, place));
        });
      });
    });
}

function positionIn(text: string, at: number): string {
  const before = text.slice(0, at);
  return `${before.split('\n').length - 1}:${at - (before.lastIndexOf('\n') + 1)}`;
}
