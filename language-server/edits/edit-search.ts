// Looks for the edit that follows from the last ones, first in the document that is being edited, then in other open ones.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../native/index.ts';
import type { LongText } from '../documents/long-text.ts';
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
import { PlainBreaks, withPlainBreaks } from './text/plain-breaks.ts';
import { changesOf, type EditedDocument, type PastEdit, type TextEdit } from './text/text-edit.ts';

/** The documents as they are, or as they would be after an edit. */
export interface Workspace {
  /** The one that is being edited is the first. */
  documents: readonly SearchedDocument[];
  /** The offset of the cursor in the first document. */
  cursor: number;
  /** The oldest first. */
  history: readonly PastEdit[];
}

export interface SearchedDocument {
  uri: string;
  languageId: string;
  path: string;
  text: LongText;
}

export interface FoundEdit extends TextEdit {
  document: SearchedDocument;
  oldText: string;
  changes: TextEdit[];
  /** Of other lines, to be made together with it. */
  also: TextEdit[];
  probability: number;
}

// A part of a long document, so that looking through it never keeps a key waiting.
const reachChars = 30_000;
/** A rename in many places is many edits, which say no more than the last ones. */
const maxHistory = 12;
/** The cursor's offset in a document that it is not in. */
const elsewhere = -1;

/** Who says how likely an edit is, and writes edits if it can. */
export interface EditModel extends Writing {
  local: Engine;
}

/** The edit, or why there is none. Rejects with the engine's errors. */
export async function findEdit(
  model: EditModel,
  workspace: Workspace,
  gate: number,
  dismissed: DismissedEdits,
  signal: AbortSignal,
): Promise<FoundEdit | Reason> {
  let reason: Reason = 'nothing-follows';
  const renames = await renamesIn(workspace.documents, workspace.history);
  for (const [i, document] of workspace.documents.entries()) {
    await setImmediate();
    if (signal.aborted) return 'superseded';
    const cursor = i === 0 ? workspace.cursor : elsewhere;
    const here = await renamesHere(document, renames);
    if (signal.aborted) return 'superseded';
    const found = await findIn(model, document, cursor, workspace.history, here, gate, dismissed, signal);
    if (typeof found !== 'string') return found;
    if (found !== 'nothing-follows' && reason === 'nothing-follows') reason = found;
  }
  return signal.aborted ? 'superseded' : reason;
}

async function findIn(
  model: EditModel,
  document: SearchedDocument,
  cursor: number,
  history: readonly PastEdit[],
  renames: readonly RenameHere[],
  gate: number,
  dismissed: DismissedEdits,
  signal: AbortSignal,
): Promise<FoundEdit | Reason> {
  const { uri, languageId, path } = document;
  const plain = new PlainBreaks(document.text);
  const text = plain.text.toString();
  const place = { path, languageId, cursor: cursor === elsewhere ? elsewhere : plain.offset(cursor) };
  // Where the rule is not sure enough, the model may be: it knows renames, too.
  const isDismissed = (edit: TextEdit) => dismissed.has(uri, edit);
  const uses = renameProbability < gate ? undefined : renamedUses(document, cursor, renames, isDismissed);
  const unwanted = dismissed.of(uri).map((edit) => plain.edit(edit));
  const proposal = uses
    ? { edit: plain.edit(uses.next), probability: renameProbability }
    : await proposedNear(
        model,
        { ...place, text: plain.text, isNamesake: namesakesIn(text, renames) },
        history.slice(-maxHistory),
        unwanted,
        signal,
      );
  if (!proposal) return 'nothing-follows';
  const { edit, probability } = proposal;
  if (probability < gate) return 'edit-unsure';
  const refusal = whyUnwanted(edit, text, probability);
  if (refusal !== null) return refusal;
  const changes = changesOf(edit, text).map((change) => plain.inDocument(change));
  const there = plain.inDocument(edit);
  if (breaksSyntax(there, document)) return 'breaks-syntax';
  const also = uses?.others ?? [];
  const oldText = document.text.slice(there.start, there.end);
  const found = { ...there, document, oldText, changes, also, probability };
  return dismissed.has(uri, found) ? 'edit-dismissed' : found;
}

/** What is proposed in the part of a document that is near enough to the cursor. */
async function proposedNear(
  { local, ...writing }: EditModel,
  {
    path,
    text,
    languageId,
    cursor,
    isNamesake,
  }: Omit<SearchedDocument, 'uri'> & Pick<EditedDocument, 'cursor' | 'isNamesake'>,
  history: readonly PastEdit[],
  dismissed: readonly TextEdit[],
  signal: AbortSignal,
): Promise<Proposal | undefined> {
  const around = Math.max(0, cursor);
  const from = windowStart(text, around, reachChars);
  const near = {
    ...{ path, languageId, text: text.slice(from, windowEnd(text, around, reachChars)) },
    ...{ cursor: cursor === elsewhere ? elsewhere : cursor - from, history },
    dismissed: dismissed.map((edit) => shifted(edit, -from)),
    ...(isNamesake && { isNamesake: (edit: TextEdit) => isNamesake(shifted(edit, from)) }),
  };
  const proposal = await propose(local, near, signal, writing);
  return proposal && { ...proposal, edit: shifted(proposal.edit, from) };
}

function shifted(edit: TextEdit, by: number): TextEdit {
  return { ...edit, start: edit.start + by, end: edit.end + by };
}

/** As it would be after the edit, with the cursor behind the last word that it changes. */
export function after({ documents, history }: Workspace, edit: FoundEdit): Workspace {
  const { document, changes, oldText, also } = edit;
  const all = [edit, ...also].sort((one, other) => other.start - one.start);
  const text = all.reduce((made, { start, end, text: now }) => made.with(start, end, now), document.text);
  const above = also.filter(({ start }) => start < edit.start);
  const grown = [edit, ...above].reduce((sum, { start, end, text: now }) => sum + now.length - (end - start), 0);
  const cursor = (changes.at(-1)?.end ?? edit.end) + grown;
  const others = documents.filter(({ uri }) => uri !== document.uri);
  const pastOf = ({ start, end, text: now }: TextEdit) => {
    const [before = '', made = ''] = [document.text.slice(start, end), now].map(withPlainBreaks);
    return { path: document.path, before, after: made, line: document.text.lineAt(start) };
  };
  // Only the edit itself may add lines.
  const added = edit.text.split('\n').length - oldText.split('\n').length;
  const line = document.text.lineAt(edit.start);
  const earlier = history.map((each) => {
    const isBelow = each.path === document.path && each.line !== undefined && each.line > line;
    return isBelow ? { ...each, line: (each.line ?? 0) + added } : each;
  });
  const made = [...also, edit].map(pastOf);
  return { documents: [{ ...document, text }, ...others], cursor, history: [...earlier, ...made] };
}
