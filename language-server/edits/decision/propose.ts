// Decides which edit follows from the user's last edits. A model that was trained to write edits is asked first. If it
// offers nothing, candidates are derived from the history, and the model says how likely each of them is.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../../native/index.ts';
import type { EditFormatName } from '../../models/model-traits.ts';
import { type Evidence, evidenceNames, evidenceOf } from '../evidence/evidence.ts';
import fittedEvidence from '../evidence/evidence-trees.json';
import { logOddsOf, probabilityOf, treesOf } from '../evidence/trees.ts';
import { editFormat, generateEdit } from '../generation/generate-edit.ts';
import { type Weighed, withWriter } from '../generation/writer.ts';
import { type PastChange, pastChanges } from '../history/past-changes.ts';
import { undoes } from '../history/reversal.ts';
import { inPlaceScores } from '../preference/in-place-scores.ts';
import { preferences } from '../preference/preference.ts';
import { withModel } from '../preference/with-model.ts';
import type { Candidate } from '../proposals/candidate.ts';
import { candidatesFor } from '../proposals/candidates.ts';
import { type Line, linesOf } from '../text/lines.ts';
import { changesOf, type EditedDocument, type TextEdit } from '../text/text-edit.ts';
import { deletionGate, maxDeletedLines } from './unwanted-edit.ts';

const evidenceTrees = treesOf(fittedEvidence, evidenceNames);

export type { EditedDocument };

export interface Proposal {
  edit: TextEdit;
  /** How likely it is that the user would make this edit. */
  probability: number;
}

/** The model is asked about at most this many edits. */
const maxQuestions = 2;
/** Edits with lower log-odds are dropped. */
const minLogOdds = -2.2;
/** The model is not asked about an edit whose log-odds are more than this below those of the likeliest edit. */
const maxBehindBest = 1.5;
/**
 * If one change fits in several places, the next place after the cursor is proposed, unless its log-odds are more than
 * this below those of the likeliest place.
 */
const maxBehindBestPlace = 0.7;
/** The probability that an edit needs if some, but not all, of its changes delete words. See also deletionGate. */
const partlyDeletesGate = 0.8;

export interface WeighedCandidate extends Candidate {
  evidence: Evidence;
}

/** The `count` edits that are likeliest by the history alone, each with its log-odds. */
export function likeliest(document: EditedDocument, count: number): [WeighedCandidate, number][] {
  return weighed(document, possibleEdits(document)).slice(0, count);
}

interface PossibleEdits {
  lines: Line[];
  changes: PastChange[];
  candidates: Candidate[];
}

function possibleEdits(document: EditedDocument): PossibleEdits {
  const { text, history, dismissed = [] } = document;
  const [lines, changes] = [linesOf(text), pastChanges(history)];
  const candidates = history.length === 0 ? [] : candidatesFor(document, lines, changes);
  const isDismissed = (edit: TextEdit) => dismissed.some((known) => isSame(known, edit));
  return { lines, changes, candidates: candidates.filter((edit) => !isDismissed(edit)) };
}

function weighed(
  document: EditedDocument,
  { lines, changes, candidates }: PossibleEdits,
): [WeighedCandidate, number][] {
  const all = evidenceOf(candidates, document, lines, changes);
  return promising(
    candidates.flatMap((candidate, i): [WeighedCandidate, number][] => {
      const evidence = all[i];
      return evidence ? [[{ ...candidate, evidence }, logOddsOf(evidenceTrees, evidence)]] : [];
    }),
  );
}

/**
 * The candidates that are likely enough, the likeliest first, at most one of each group. Of a group, the first place
 * from the cursor on is taken, unless another place is much likelier. candidates: with their log-odds, in the order of
 * their places, from the cursor on.
 */
export function promising<T extends { group: string }>(candidates: readonly [T, number][]): [T, number][] {
  return nextOfEachGroup(candidates.filter(([, logOdds]) => logOdds >= minLogOdds)).sort(([, a], [, b]) => b - a);
}

export function nextOfEachGroup<T extends { group: string }>(candidates: readonly [T, number][]): [T, number][] {
  const best = new Map<string, number>();
  for (const [{ group }, logOdds] of candidates) best.set(group, Math.max(logOdds, best.get(group) ?? logOdds));
  const taken = new Set<string>();
  return candidates.filter(([{ group }, logOdds]) => {
    if (taken.has(group) || logOdds < (best.get(group) ?? logOdds) - maxBehindBestPlace) return false;
    taken.add(group);
    return true;
  });
}

/** The candidates that are likely enough to ask the model about. likely: with their log-odds, the likeliest first. */
export function worthAsking<T>(likely: readonly [T, number][]): [T, number][] {
  const [best] = likely;
  return likely
    .slice(0, maxQuestions)
    .filter(([, logOdds]) => best !== undefined && logOdds >= best[1] - maxBehindBest);
}

/** Which means a model has to write edits itself. */
export interface Writing {
  /** Null if the model was not trained to write edits. */
  editFormat?: EditFormatName | null;
  /** The path of the adapter that was trained to write edits; null if there is none. */
  editAdapter?: string | null;
}

/** The likeliest edit; undefined if nothing follows from the user's last edits. */
export async function propose(
  engine: Engine,
  document: EditedDocument,
  signal?: AbortSignal,
  { editFormat: format = null, editAdapter = null }: Writing = {},
): Promise<Proposal | undefined> {
  if (document.history.length === 0) return undefined;
  const written = format && (await generateEdit(engine, editFormat(format), document, signal));
  const generated = written && isPossible(written.edit, document) ? mostLikely([written], document.text) : undefined;
  return generated ?? (await proposeFromHistory(engine, document, editAdapter, signal));
}

/**
 * Whether the edit replaces no text at the cursor (it may insert text there), renames no namesake, undoes no past edit,
 * and was not dismissed.
 */
function isPossible(edit: TextEdit, { text, cursor, history, dismissed = [], isNamesake }: EditedDocument): boolean {
  const replacesAtCursor = edit.start <= cursor && cursor <= edit.end && edit.start < edit.end;
  const isDismissed = dismissed.some((known) => isSame(known, edit));
  return !replacesAtCursor && !isDismissed && !isNamesake?.(edit) && !undoes(edit, text, history);
}

function isSame(a: TextEdit, b: TextEdit): boolean {
  return a.start === b.start && a.end === b.end && a.text === b.text;
}

async function proposeFromHistory(
  engine: Engine,
  document: EditedDocument,
  adapter: string | null,
  signal?: AbortSignal,
): Promise<Proposal | undefined> {
  const judged = await judgedEdits(engine, document, signal);
  const all = adapter === null ? judged : await withWriter(engine, adapter, document, judged, signal);
  return signal?.aborted ? undefined : likeliestOf(all, document);
}

/** The likeliest edits by the history, with the log-odds that the model gives them; empty if aborted. */
export async function judgedEdits(engine: Engine, document: EditedDocument, signal?: AbortSignal): Promise<Weighed[]> {
  const found = possibleEdits(document);
  await setImmediate(); // a key may be waiting
  if (signal?.aborted) return [];
  const likely = worthAsking(weighed(document, found));
  return likely.length === 0 ? [] : await judgedByModel(engine, document, likely, signal);
}

/** The likeliest edit that may be shown. */
export function likeliestOf(edits: readonly Weighed[], document: EditedDocument): Proposal | undefined {
  const possible = edits.filter(({ edit }) => isPossible(edit, document));
  return mostLikely(
    possible.map(({ edit, odds }) => ({ edit, probability: probabilityOf(odds) })),
    document.text,
  );
}

/** Asks the model about the likeliest edits, and returns them with their new log-odds; empty if aborted. */
async function judgedByModel(
  engine: Engine,
  document: EditedDocument,
  likely: readonly [WeighedCandidate, number][],
  signal?: AbortSignal,
): Promise<Weighed[]> {
  const candidates = likely.map(([candidate]) => candidate);
  const answers = await preferences(engine, document, candidates, signal);
  const inPlace = await inPlaceScores(engine, document, candidates, signal);
  return likely.flatMap(([{ start, end, text, evidence }, logOdds], i) => {
    const [answer, placeScores] = [answers[i], inPlace[i]];
    if (!answer || !placeScores) return [];
    return [{ edit: { start, end, text }, odds: withModel(logOdds, evidence, answer, placeScores) }];
  });
}

/** The likeliest proposal that may be shown. An edit that deletes must be likelier than other edits, and short. */
export function mostLikely(proposals: readonly Proposal[], text: string): Proposal | undefined {
  const lineCount = (lines: string) => lines.split('\n').length;
  const deletedLines = ({ start, end, text: now }: TextEdit) => lineCount(text.slice(start, end)) - lineCount(now);
  return proposals
    .filter(({ edit, probability }) => probability >= minProbability(edit, text))
    .filter(({ edit }) => deletedLines(edit) <= maxDeletedLines)
    .sort((a, b) => b.probability - a.probability)[0];
}

function minProbability(edit: TextEdit, text: string): number {
  const changes = changesOf(edit, text);
  const deletions = changes.filter(
    (change) => change.text.trim() === '' && /[\p{L}\p{N}]/u.test(text.slice(change.start, change.end)),
  );
  if (deletions.length === 0) return 0;
  return deletions.length === changes.length ? deletionGate : partlyDeletesGate;
}
