// Looks for the edit that follows from the last ones, first in the document that is being edited, then in other open ones.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../native/index.ts';
import type { LongText } from '../documents/long-text.ts';
import type { EditFormatName } from '../models/model-traits.ts';
import { windowEnd, windowStart } from '../prompt/text-window.ts';
import type { Reason } from '../protocol/reasons.ts';
import type { DismissedEdits } from './decision/dismissed-edits.ts';
import { type Proposal, propose } from './decision/propose.ts';
import { whyUnwanted } from './decision/unwanted-edit.ts';
import { partnerTag } from './proposals/renames/changed-tags.ts';
import { renamedUse, renameProbability } from './proposals/renames/renamed-uses.ts';
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
  probability: number;
}

// A part of a long document, so that looking through it never keeps a key waiting.
const reachChars = 30_000;
/** The cursor's offset in a document that it is not in. */
const elsewhere = -1;

/** Who says how likely an edit is. */
export interface EditModel {
  local: Engine;
  /** How it writes edits; absent or null if it was not trained to. */
  editFormat?: EditFormatName | null;
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
  for (const [i, document] of workspace.documents.entries()) {
    await setImmediate();
    if (signal.aborted) return 'superseded';
    const cursor = i === 0 ? workspace.cursor : elsewhere;
    const found = await findIn(model, document, cursor, workspace.history, gate, dismissed, signal);
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
  gate: number,
  dismissed: DismissedEdits,
  signal: AbortSignal,
): Promise<FoundEdit | Reason> {
  const { uri, languageId, path } = document;
  const plain = new PlainBreaks(document.text);
  const text = plain.text.toString();
  const place = { path, text, languageId, cursor: cursor === elsewhere ? elsewhere : plain.offset(cursor), history };
  // Where the rule is not sure enough, the model may be: it knows renames, too.
  const isDismissed = (edit: TextEdit) => dismissed.has(uri, plain.inDocument(edit));
  const use = renameProbability < gate ? undefined : certainEdit(place, isDismissed);
  const unwanted = dismissed.of(uri).map((edit) => plain.edit(edit));
  const proposal = use
    ? { edit: use, probability: renameProbability }
    : await proposedNear(model, { ...place, text: plain.text }, history, unwanted, signal);
  if (!proposal) return 'nothing-follows';
  const { edit, probability } = proposal;
  if (probability < gate) return 'edit-unsure';
  const refusal = whyUnwanted(edit, text, probability, languageId);
  if (refusal !== null) return refusal;
  const changes = changesOf(edit, text).map((change) => plain.inDocument(change));
  const there = plain.inDocument(edit);
  const found = { ...there, document, oldText: document.text.slice(there.start, there.end), changes, probability };
  return dismissed.has(uri, found) ? 'edit-dismissed' : found;
}

/** What is wrong as it is, since a tag or a declaration was renamed. */
function certainEdit(place: EditedDocument, isDismissed: (edit: TextEdit) => boolean): TextEdit | undefined {
  const partner = partnerTag(place);
  return partner && !isDismissed(partner) ? partner : renamedUse(place, place.history, isDismissed);
}

/** What is proposed in the part of a document that is near enough to the cursor. */
async function proposedNear(
  { local, editFormat }: EditModel,
  { path, text, languageId, cursor }: Omit<SearchedDocument, 'uri'> & { cursor: number },
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
  };
  const proposal = await propose(local, near, signal, editFormat);
  return proposal && { ...proposal, edit: shifted(proposal.edit, from) };
}

function shifted(edit: TextEdit, by: number): TextEdit {
  return { ...edit, start: edit.start + by, end: edit.end + by };
}

/** As it would be after the edit, with the cursor behind the last word that it changes. */
export function after({ documents, history }: Workspace, edit: FoundEdit): Workspace {
  const { document, changes, oldText } = edit;
  const text = document.text.with(edit.start, edit.end, edit.text);
  const grown = edit.text.length - oldText.length;
  const cursor = (changes.at(-1)?.end ?? edit.end) + grown;
  const others = documents.filter(({ uri }) => uri !== document.uri);
  const [was, is] = [oldText, edit.text].map(withPlainBreaks);
  const past = { path: document.path, before: was ?? '', after: is ?? '' };
  return { documents: [{ ...document, text }, ...others], cursor, history: [...history, past] };
}
