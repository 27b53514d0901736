// The rule "rename the other uses, too", which needs no model. Hearth's proposals are compared with it.

import type { Proposal } from '../../../language-server/edits/decision/propose.ts';
import { pastChanges } from '../../../language-server/edits/history/past-changes.ts';
import { fromCursor } from '../../../language-server/edits/proposals/candidates.ts';
import { isRename, substituted, substitutionsOf } from '../../../language-server/edits/proposals/substitutions.ts';
import { linesOf } from '../../../language-server/edits/text/lines.ts';
import type { NextEditCase } from './next-edit-case.ts';

/** Replaces the name that the user replaced last, in the nearest other line that has it. */
export function renameRule({ text, cursor, history }: NextEditCase): Proposal | undefined {
  const renamed = substitutionsOf(pastChanges(history)).find((each) => !each.isPart && isRename(each));
  if (!renamed) return undefined;
  const edits = linesOf(text).map(({ start, end, text: line }) => ({ start, end, text: substituted(line, renamed) }));
  const [edit] = fromCursor(edits, text, cursor);
  return edit && { edit, probability: 1 };
}
