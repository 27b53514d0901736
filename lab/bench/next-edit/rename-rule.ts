// The rule "rename the other uses, too", which needs no model: a proposal must be better than this.

import type { Proposal } from '../../../language-server/edits/decision/propose.ts';
import { pastChanges } from '../../../language-server/edits/history/past-changes.ts';
import { fromCursor } from '../../../language-server/edits/proposals/candidates.ts';
import { isRename, substituted, substitutionsOf } from '../../../language-server/edits/proposals/substitutions.ts';
import { linesOf } from '../../../language-server/edits/text/lines.ts';
import type { NextEditCase } from './next-edit-case.ts';

/** The nearest other line with the name that was replaced last. */
export function renameRule({ text, cursor, history }: NextEditCase): Proposal | undefined {
  const renamed = substitutionsOf(pastChanges(history)).find((each) => !each.isPart && isRename(each));
  if (!renamed) return undefined;
  const edits = linesOf(text).map(({ start, end, text: line }) => ({ start, end, text: substituted(line, renamed) }));
  const [edit] = fromCursor(edits, text, cursor);
  return edit && { edit, probability: 1 };
}
