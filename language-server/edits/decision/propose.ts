// The edit that follows from the last ones: written by a model that was trained to, or else proposed by what they say,
// and chosen by the model.
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
import { preferences } from '../preference/preference.ts';
import { readingsInPlace } from '../preference/reading-in-place.ts';
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
  /** How likely the user would make this edit. */
  probability: number;
}

// The model is asked about the likeliest only, and only if they have a chance, also beside the likeliest.
const maxQuestions = 2;
const minLogOdds = -2.2;
const nearLogOdds = 0.7;
const farLogOdds = 1.5;
/** How likely an edit that also deletes must be at least. One that only deletes has the deletionGate. */
const partlyDeletesGate = 0.8;

export interface WeighedCandidate extends Candidate {
  evidence: Evidence;
}

/** The likeliest edits by what the history says alone, and how likely: the logarithm of the odds. */
export function likeliest(document: EditedDocument, most: number): [WeighedCandidate, number][] {
  return weighed(document, possibleEdits(document)).slice(0, most);
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
  return { lines, changes, candidates: candidates.filter((edit) => !dismissed.some((each) => isSame(each, edit))) };
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
 * The likeliest first. Of the same thing done in several places only the next one from the cursor on, unless another is
 * much likelier. candidates: in their order from the cursor on.
 */
export function promising<T extends { group: string }>(candidates: readonly [T, number][]): [T, number][] {
  return nextOfEachGroup(candidates.filter(([, odds]) => odds >= minLogOdds)).sort(([, a], [, b]) => b - a);
}

export function nextOfEachGroup<T extends { group: string }>(candidates: readonly [T, number][]): [T, number][] {
  const best = new Map<string, number>();
  for (const [{ group }, odds] of candidates) best.set(group, Math.max(odds, best.get(group) ?? odds));
  const taken = new Set<string>();
  return candidates.filter(([{ group }, odds]) => {
    if (taken.has(group) || odds < (best.get(group) ?? odds) - nearLogOdds) return false;
    taken.add(group);
    return true;
  });
}

/** Those that the model may still put in another order. */
export function worthAsking<T>(likely: readonly [T, number][]): [T, number][] {
  const [best] = likely;
  return likely.slice(0, maxQuestions).filter(([, odds]) => best !== undefined && odds >= best[1] - farLogOdds);
}

/** How a model writes edits. */
export interface Writing {
  /** Null if it was not trained to. */
  editFormat?: EditFormatName | null;
  /** The path of the adapter that it has learned it from. */
  editAdapter?: string | null;
}

/** The likeliest edit; undefined if nothing follows from the last ones. */
export async function propose(
  engine: Engine,
  document: EditedDocument,
  signal?: AbortSignal,
  { editFormat: format = null, editAdapter = null }: Writing = {},
): Promise<Proposal | undefined> {
  const written = format && (await generateEdit(engine, editFormat(format), document, signal));
  const generated = written && isPossible(written.edit, document) ? mostLikely([written], document.text) : undefined;
  return generated ?? (await proposed(engine, document, editAdapter, signal));
}

/** Whether the edit is away from the cursor, undoes nothing that was done, and has not been dismissed. */
function isPossible(edit: TextEdit, { text, cursor, history, dismissed = [], isNamesake }: EditedDocument): boolean {
  const isHere = edit.start <= cursor && cursor <= edit.end;
  return (
    !isHere && !isNamesake?.(edit) && !undoes(edit, text, history) && !dismissed.some((each) => isSame(each, edit))
  );
}

function isSame(one: TextEdit, other: TextEdit): boolean {
  return one.start === other.start && one.end === other.end && one.text === other.text;
}

async function proposed(
  engine: Engine,
  document: EditedDocument,
  adapter: string | null,
  signal?: AbortSignal,
): Promise<Proposal | undefined> {
  const found = possibleEdits(document);
  await setImmediate(); // a key may be waiting
  if (signal?.aborted) return undefined;
  const likely = worthAsking(weighed(document, found));
  const judged = likely.length === 0 ? [] : await judgedBy(engine, document, likely, signal);
  const all = adapter === null ? judged : await withWriter(engine, adapter, document, judged, signal);
  const proposals = all
    .filter(({ edit }) => likely.some(([each]) => isSame(each, edit)) || isPossible(edit, document))
    .map(({ edit, odds }) => ({ edit, probability: probabilityOf(odds) }));
  return mostLikely(proposals, document.text);
}

/** What the model makes of the likeliest edits; none if aborted. */
async function judgedBy(
  engine: Engine,
  document: EditedDocument,
  likely: readonly [WeighedCandidate, number][],
  signal?: AbortSignal,
): Promise<Weighed[]> {
  const candidates = likely.map(([candidate]) => candidate);
  const answers = await preferences(engine, document, candidates, signal);
  const readings = await readingsInPlace(engine, document, candidates, signal);
  return likely.flatMap(([{ start, end, text, evidence }, odds], i) => {
    const [answer, reading] = [answers[i], readings[i]];
    if (!answer || !reading) return [];
    return [{ edit: { start, end, text }, odds: withModel(odds, evidence, answer, reading) }];
  });
}

/** Of those that may be shown: a deletion must be surer than the rest, and short. */
export function mostLikely(proposals: readonly Proposal[], text: string): Proposal | undefined {
  return proposals
    .filter(({ edit, probability }) => probability >= minProbability(edit, text))
    .filter(
      ({ edit }) =>
        text.slice(edit.start, edit.end).split('\n').length - edit.text.split('\n').length <= maxDeletedLines,
    )
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
