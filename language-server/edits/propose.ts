// The edit that follows from the last ones: proposed by what they say, and chosen by the model.
import type { Engine } from '../../native/index.ts';
import type { Candidate } from './candidate.ts';
import { candidatesFor } from './candidates.ts';
import { logOdds, probabilityOf, withPreference } from './confidence.ts';
import { evidenceOf } from './evidence.ts';
import { deletionGate, maxDeletedLines } from './gates.ts';
import { linesOf } from './lines.ts';
import { pastChanges } from './past-changes.ts';
import { preferences } from './preference.ts';
import { changesOf, type EditedDocument, type TextEdit } from './text-edit.ts';

export type { EditedDocument };

export interface Proposal {
  edit: TextEdit;
  /** How likely the user would make this edit. */
  probability: number;
}

// The model is asked about the likeliest only, and only if they have a chance, also beside the likeliest.
export const maxQuestions = 2;
export const minLogOdds = -2.2;
const nearLogOdds = 0.7;
/** How likely an edit that also deletes must be at least. One that only deletes has the deletionGate. */
const partlyDeletesGate = 0.7;

/** The likeliest edits by what the history says alone, and how likely: the logarithm of the odds. */
export function likeliest(document: EditedDocument, most: number): [Candidate, number][] {
  const { text, history, dismissed = [] } = document;
  if (history.length === 0) return [];
  const [lines, changes] = [linesOf(text), pastChanges(history)];
  const candidates = candidatesFor(document, lines, changes).filter(
    (edit) => !dismissed.some((each) => each.start === edit.start && each.end === edit.end && each.text === edit.text),
  );
  const evidence = evidenceOf(candidates, document, lines, changes);
  return candidates
    .map((candidate, i): [Candidate, number] => [candidate, logOdds(evidence[i] ?? [])])
    .filter(([, odds]) => odds >= minLogOdds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, most);
}

/** Those that the model may still put in another order. */
export function worthAsking<T>(likely: readonly [T, number][]): [T, number][] {
  const [best] = likely;
  return likely.filter(([, odds]) => best !== undefined && odds >= best[1] - nearLogOdds);
}

/** The likeliest edit; undefined if nothing follows from the last ones. */
export async function propose(
  engine: Engine,
  document: EditedDocument,
  signal?: AbortSignal,
): Promise<Proposal | undefined> {
  const likely = worthAsking(likeliest(document, maxQuestions));
  if (likely.length === 0) return undefined;
  const candidates = likely.map(([candidate]) => candidate);
  const answers = await preferences(engine, document, candidates, signal);
  const proposals = likely.flatMap(([{ start, end, text }, odds], i): Proposal[] => {
    const answer = answers[i];
    const edit = { start, end, text };
    return answer ? [{ edit, probability: probabilityOf(withPreference(odds, answer)) }] : [];
  });
  return mostLikely(proposals, document.text);
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
