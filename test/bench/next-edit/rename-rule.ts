// The rule "rename the others, too", which asks no model: what a proposal must be better than.
import { fromCursor, substitutedLines } from '../../../language-server/edits/candidates.ts';
import type { Proposal } from '../../../language-server/edits/propose.ts';
import { isRename, substitutionsOf } from '../../../language-server/edits/substitutions.ts';
import type { NextEditCase } from './next-edit-case.ts';

/** The nearest other line with the name that was replaced last. */
export function renameRule({ text, cursor, history }: NextEditCase): Proposal | undefined {
  const renamed = substitutionsOf(history).find(isRename);
  const [edit] = fromCursor(substitutedLines(text, renamed ? [renamed] : []), text, cursor);
  return edit && { edit, probability: 1 };
}
