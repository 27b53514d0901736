// The edit that follows from the last ones: proposed by what they say, and chosen by the model.
import type { Engine } from '../../native/index.ts';
import { concatTokens } from '../prompt/fim-prompt.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { logOdds, probabilityOf, withPreference } from './confidence.ts';
import { editsHead, question } from './edit-prompt.ts';
import { preference } from './preference.ts';
import type { PastEdit, TextEdit } from './text-edit.ts';

export interface EditedDocument {
  path: string;
  text: string;
  cursor: number;
  /** The oldest first. */
  history: readonly PastEdit[];
  /** Edits that the user does not want, which are left out. */
  dismissed?: readonly TextEdit[];
}

export interface Proposal {
  edit: TextEdit;
  /** How likely the user would make this edit. */
  probability: number;
}

// The model is asked about the likeliest only, and only if they have a chance.
const mostQuestions = 3;
const leastLogOdds = -3;

/** The likeliest edits by what the history says alone, and how likely: the logarithm of the odds. */
export function likeliest(
  { text, cursor, history, dismissed = [] }: EditedDocument,
  most: number,
): [Candidate, number][] {
  const isDismissed = (edit: TextEdit) =>
    dismissed.some(({ start, end, text }) => edit.start === start && edit.end === end && edit.text === text);
  return candidatesFor(text, cursor, history)
    .filter((candidate) => !isDismissed(candidate))
    .map((candidate): [Candidate, number] => [candidate, logOdds(candidate.evidence)])
    .filter(([, odds]) => odds >= leastLogOdds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, most);
}

/** The likeliest edit; undefined if nothing follows from the last ones. */
export async function propose(
  engine: Engine,
  document: EditedDocument,
  signal?: AbortSignal,
): Promise<Proposal | undefined> {
  const head = editsHead(engine, document.history);
  const proposals: Proposal[] = [];
  for (const [{ start, end, text }, prior] of likeliest(document, mostQuestions)) {
    const old = document.text.slice(start, end);
    const asked = concatTokens(head, question(engine, document.path, old));
    const odds = withPreference(prior, await preference(engine, asked, { old, now: text }, signal));
    proposals.push({ edit: { start, end, text }, probability: probabilityOf(odds) });
  }
  return proposals.sort((a, b) => b.probability - a.probability)[0];
}
