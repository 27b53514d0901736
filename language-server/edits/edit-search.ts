// Looks for the edit that follows from the user's last edits: first in the document that the user is editing, then in
// the other open documents.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../native/index.ts';
import { windowEnd, windowStart } from '../prompt/text-window.ts';
import type { Reason } from '../protocol/reasons.ts';
import type { DismissedEdits } from './decision/dismissed-edits.ts';
import { type Proposal, propose, type Writing } from './decision/propose.ts';
import { breaksSyntax, whyUnwanted } from './decision/unwanted-edit.ts';
import {
  namesakesIn,
  type RenameHere,
  renamedUses,
  renameProbability,
  renamesHere,
} from './proposals/renames/renamed-uses.ts';
import { renamesIn } from './proposals/renames/renames.ts';
import { atLineBefore, shownChanges } from './text/inserted-lines.ts';
import { PlainBreaks } from './text/plain-breaks.ts';
import type { EditedDocument, TextEdit } from './text/text-edit.ts';
import type { FoundEdit, SearchedDocument, Workspace } from './workspace.ts';

// The search covers this many characters on either side of the cursor: a longer search would delay the next key.
const reachChars = 30_000;
// A rename in many places makes many edits. The last few say as much as all of them.
const maxHistory = 12;
/** Stands for the cursor's offset if the cursor is in another document. */
const elsewhere = -1;

/** The model that says how likely an edit is. `Writing` says whether it also writes edits. */
export interface EditModel extends Writing {
  local: Engine;
}

/**
 * Returns the edit, or the reason for none. Rejects with the engine's errors. gate: the probability that the edit
 * needs.
 */
export function findEdit(
  model: EditModel,
  workspace: Workspace,
  gate: number,
  dismissed: DismissedEdits,
  signal: AbortSignal,
): Promise<FoundEdit | Reason> {
  return new EditSearch(model, workspace, gate, dismissed, signal).run();
}

class EditSearch {
  constructor(
    private readonly model: EditModel,
    private readonly workspace: Workspace,
    private readonly gate: number,
    private readonly dismissed: DismissedEdits,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<FoundEdit | Reason> {
    const { documents, cursor, history } = this.workspace;
    const renames = await renamesIn(documents, history);
    let reason: Reason = 'nothing-follows';
    for (const document of documents) {
      await setImmediate(); // a key may be waiting
      if (this.signal.aborted) break;
      const here = await renamesHere(document, renames);
      if (this.signal.aborted) break;
      const found = await this.findIn(document, document === documents[0] ? cursor : elsewhere, here);
      if (typeof found !== 'string') return found;
      if (reason === 'nothing-follows') reason = found;
    }
    return this.signal.aborted ? 'superseded' : reason;
  }

  private async findIn(
    document: SearchedDocument,
    cursor: number,
    renames: readonly RenameHere[],
  ): Promise<FoundEdit | Reason> {
    const { uri, path } = document;
    const plain = new PlainBreaks(document.text);
    const text = plain.text.toString();
    // If renameProbability is below the gate, a rename may still be offered: finders propose renames, too, and the
    // model may be sure of one.
    const isDismissed = (edit: TextEdit) => this.dismissed.has(uri, edit);
    const uses = renameProbability < this.gate ? undefined : renamedUses(document, cursor, renames, isDismissed);
    const proposal = uses
      ? { edit: plain.edit(uses.next), probability: renameProbability }
      : await this.proposed(plain, {
          ...{ path, text, cursor: plain.offset(cursor), history: this.workspace.history.slice(-maxHistory) },
          dismissed: this.dismissed.of(uri).flatMap((edit) => bothForms(plain.edit(edit), text)),
          isNamesake: namesakesIn(text, renames),
        });
    if (!proposal) return 'nothing-follows';
    const { edit, probability } = proposal;
    if (probability < this.gate) return 'edit-unsure';
    const refusal = whyUnwanted(edit, text, probability);
    if (refusal !== null) return refusal;
    const documentEdit = plain.inDocument(edit);
    if (breaksSyntax(documentEdit, document)) return 'breaks-syntax';
    if (isDismissed(documentEdit)) return 'edit-dismissed';
    const shown = atLineBefore(edit, text);
    const found = plain.inDocument(shown);
    const oldText = document.text.slice(found.start, found.end);
    const changes = shownChanges(shown, text).map((change) => plain.inDocument(change));
    return { ...found, document, oldText, changes, otherLines: uses?.others ?? [], probability };
  }

  /** What propose() answers for the part of the document within reach of the cursor, with offsets in the document. */
  private async proposed(
    { text }: PlainBreaks,
    { dismissed, isNamesake, ...document }: EditedDocument & Required<Pick<EditedDocument, 'dismissed' | 'isNamesake'>>,
  ): Promise<Proposal | undefined> {
    const around = Math.max(0, document.cursor);
    const from = windowStart(text, around, reachChars);
    const near: EditedDocument = {
      ...document,
      text: text.slice(from, windowEnd(text, around, reachChars)),
      cursor: document.cursor - from,
      dismissed: dismissed.map((edit) => shifted(edit, -from)),
      isNamesake: (edit) => isNamesake(shifted(edit, from)),
    };
    const { local, ...writing } = this.model;
    const proposal = await propose(local, near, this.signal, writing);
    return proposal && { ...proposal, edit: shifted(proposal.edit, from) };
  }
}

/** Inserted lines may have been proposed in either form. */
function bothForms(edit: TextEdit, text: string): TextEdit[] {
  return [edit, atLineBefore(edit, text)];
}

function shifted(edit: TextEdit, by: number): TextEdit {
  return { ...edit, start: edit.start + by, end: edit.end + by };
}
