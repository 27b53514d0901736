// Looks for the edit that follows from the last ones, first in the document that is being edited, then in other open
// ones.
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
import { PlainBreaks } from './text/plain-breaks.ts';
import { changesOf, type EditedDocument, type TextEdit } from './text/text-edit.ts';
import type { FoundEdit, SearchedDocument, Workspace } from './workspace.ts';

// Only this many characters on either side of the cursor are searched, so that no key has to wait.
const reachChars = 30_000;
/** A rename in many places makes many edits; the last ones say as much as all of them. */
const maxHistory = 12;
/** Stands for the cursor's offset in a document without the cursor. */
const elsewhere = -1;

/** Says how likely an edit is, and writes edits if it can. */
export interface EditModel extends Writing {
  local: Engine;
}

/**
 * Returns the edit, or why there is none. gate: the probability that the edit needs. Rejects with the engine's errors.
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
    // If this rule is not sure enough for the gate, the model may be: finders propose renames, too.
    const isDismissed = (edit: TextEdit) => this.dismissed.has(uri, edit);
    const uses = renameProbability < this.gate ? undefined : renamedUses(document, cursor, renames, isDismissed);
    const proposal = uses
      ? { edit: plain.edit(uses.next), probability: renameProbability }
      : await this.proposed(plain, {
          ...{ path, text, cursor: plain.offset(cursor), history: this.workspace.history.slice(-maxHistory) },
          dismissed: this.dismissed.of(uri).map((edit) => plain.edit(edit)),
          isNamesake: namesakesIn(text, renames),
        });
    if (!proposal) return 'nothing-follows';
    const { edit, probability } = proposal;
    if (probability < this.gate) return 'edit-unsure';
    const refusal = whyUnwanted(edit, text, probability);
    if (refusal !== null) return refusal;
    const there = plain.inDocument(edit);
    if (breaksSyntax(there, document)) return 'breaks-syntax';
    if (isDismissed(there)) return 'edit-dismissed';
    const oldText = document.text.slice(there.start, there.end);
    const changes = changesOf(edit, text).map((change) => plain.inDocument(change));
    return { ...there, document, oldText, changes, otherLines: uses?.others ?? [], probability };
  }

  /** The proposal for the part of the document that is near enough to the cursor. */
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

function shifted(edit: TextEdit, by: number): TextEdit {
  return { ...edit, start: edit.start + by, end: edit.end + by };
}
