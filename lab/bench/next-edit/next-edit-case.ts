// Reads the files for measuring next edits: cases and answers, one line of JSON for each.

import type { PastEdit, TextEdit } from '../../../language-server/edits/text/text-edit.ts';
import { readJsonLines } from '../../tools/input.ts';

/** A file in the middle of a change. Offsets are in UTF-16 units. */
export interface NextEditCase {
  path: string;
  languageId: string;
  text: string;
  cursor: number;
  /** The edits made so far, in this file or in others, oldest first. */
  history: PastEdit[];
  /** The edits that are right to show, any of them; empty if nothing should be shown. */
  expected: TextEdit[];
  /** Whether nothing should be shown. */
  quiet: boolean;
  /** Why nothing should be shown, or "related". */
  kind?: string;
  /** The repository and the commit. */
  source?: string;
}

export interface NextEditAnswer {
  edit: (TextEdit & { path: string }) | null;
  /** The probability that the edit is wanted; null if that is unknown. */
  probability: number | null;
  /** Why there is no edit. */
  reason: string | null;
  /** The number of tokens that had to be evaluated for this answer. */
  tokens: number;
  ms: number;
}

export function readNextEditCases(path: string): NextEditCase[] {
  return readJsonLines(path).map(({ entry, line }) => {
    const { text, cursor, history, expected } = entry;
    const isWhole =
      typeof text === 'string' && typeof cursor === 'number' && Array.isArray(history) && Array.isArray(expected);
    if (!isWhole) throw new Error(`${path}:${line}: the case lacks text, cursor, history or expected`);
    return entry as unknown as NextEditCase;
  });
}

export function readAnswers(path: string, cases: number): NextEditAnswer[] {
  const answers = readJsonLines(path).map(({ entry, line }) => {
    if (entry.edit === undefined) throw new Error(`${path}:${line}: the answer lacks "edit", which may be null`);
    return entry as unknown as NextEditAnswer;
  });
  if (answers.length !== cases) throw new Error(`${path} has ${answers.length} answers for ${cases} cases`);
  return answers;
}
