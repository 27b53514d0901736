// The files of the next-edit measure: cases and answers, each a line of JSON.

import type { PastEdit, TextEdit } from '../../../language-server/edits/text/text-edit.ts';
import { readJsonLines } from '../../tools/input.ts';

/** A file in the middle of a change. Offsets are in UTF-16. */
export interface NextEditCase {
  path: string;
  languageId: string;
  text: string;
  cursor: number;
  /** What was done, in this file or in others, oldest first. */
  history: PastEdit[];
  /** What may be shown: any of these. */
  expected: TextEdit[];
  /** Nothing should be shown. */
  quiet: boolean;
  /** What makes it quiet, or "related". */
  kind?: string;
  /** Repository and commit. */
  source?: string;
}

export interface NextEditAnswer {
  edit: (TextEdit & { path: string }) | null;
  /** How sure the one who answers is, from 0 to 1; null if that is not known. */
  probability: number | null;
  /** Why there is no edit. */
  reason: string | null;
  /** Tokens evaluated for this answer that were not cached. */
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
