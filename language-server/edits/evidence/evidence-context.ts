// The part of the evidence that is the same for all candidates in a document: the document's words and lines, and what
// the user has done in it.

import type { PastChange } from '../history/past-changes.ts';
import { isDistinctive } from '../proposals/substitutions.ts';
import { type Line, lineAt, wordAt } from '../text/lines.ts';
import { type EditedDocument, wordsOf } from '../text/text-edit.ts';

export interface EvidenceContext extends EditedDocument {
  lines: readonly Line[];
  /** The indices of the lines above and below a past change; undefined if it was elsewhere or its lines are gone. */
  linesBeside: (change: PastChange) => { above: number; below: number } | undefined;
  cursorLine: number;
  /**
   * The indices of lines where the user is at work: where past edits begin, if the document has their text exactly
   * once, and the line of the cursor.
   */
  edited: number[];
  /** How often each distinctive word (isDistinctive) occurs in the document. */
  counts: Map<string, number>;
  lineOf: (offset: number) => number;
  /** The numbers for the last six of evidenceNames. */
  userNumbers: number[];
}

export function contextOf(
  place: EditedDocument,
  lines: readonly Line[],
  changes: readonly PastChange[],
): EvidenceContext {
  const { text, cursor, history, path } = place;
  const lineOf = (offset: number) => lineAt(lines, offset);
  const editsHere = history.filter((edit) => edit.path === path && edit.after.trim().length > 2);
  const edited = editsHere.flatMap(({ after }) => {
    const at = text.indexOf(after);
    return at === -1 || text.indexOf(after, at + 1) !== -1 ? [] : [lineOf(at)];
  });
  if (history.at(-1)?.path === path) edited.push(lineOf(cursor));
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) if (isDistinctive(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const { before: typed, after: rest } = wordAt(text, cursor);
  const newest = changes.filter(({ age }) => age === 0);
  const words = history.flatMap(({ before, after }) => wordsOf(`${before} ${after}`));
  const isFirst = typed.length > 0 && (counts.get(typed) ?? 0) <= 1;
  const userNumbers = [
    history.length,
    newest.reduce((sum, { after }) => sum + after.length, 0),
    Number(typed !== '' && rest !== ''),
    isFirst ? 2 : Number(typed.length > 0),
    Number(typed.length > 0 && [...counts.keys(), ...words].some((word) => word !== typed && word.startsWith(typed))),
    Number(/[=+\-*/%&|^<>!?:.,([{]\s*$/.test(text.slice(Math.max(0, cursor - 8), Math.max(0, cursor)))),
  ];
  const places = new Map<PastChange, { above: number; below: number } | undefined>();
  const linesBeside = (change: PastChange) => {
    if (!places.has(change)) places.set(change, change.path === path ? besideFirst(change.after, lines) : undefined);
    return places.get(change);
  };
  return { ...place, lines, linesBeside, cursorLine: lineOf(cursor), edited, counts, lineOf, userNumbers };
}

/** The indices of the lines above and below the first place where the document has the added lines. */
function besideFirst(added: string[], lines: readonly Line[]): { above: number; below: number } | undefined {
  if (added.length === 0) return undefined;
  const at = lines.findIndex((_, i) => added.every((line, j) => lines[i + j]?.text === line));
  return at === -1 ? undefined : { above: at - 1, below: at + added.length };
}
