// Asks a model about the candidates of cases. asked-file.ts stores the answers, to which the preference trees are
// fitted.
import { mostLikely, promising, worthAsking } from '../../../language-server/edits/decision/propose.ts';
import { probabilityOf } from '../../../language-server/edits/evidence/trees.ts';
import { inPlaceScores } from '../../../language-server/edits/preference/in-place-scores.ts';
import { preferences } from '../../../language-server/edits/preference/preference.ts';
import { preferenceNumbers } from '../../../language-server/edits/preference/with-model.ts';
import type { Engine } from '../../../native/index.ts';
import { offered } from './answers.ts';
import type { CaseExamples } from './examples.ts';
import type { NextEditCase } from './next-edit-case.ts';

/** The candidates of a case that the model was asked about. */
export interface AskedCase {
  /** The case's index. */
  of: number;
  /** The candidates' indices in the case. */
  candidates: number[];
  /** For each candidate, one number per name in preferenceNames. */
  rows: number[][];
}

/** odds: each candidate's logarithmic odds, computed from the evidence. */
export async function ask(
  engine: Engine,
  of: number,
  document: NextEditCase,
  { candidates, numbers }: CaseExamples,
  odds: readonly number[],
): Promise<AskedCase> {
  const all = candidates.map(({ group }, i): [{ group: string; i: number }, number] => [{ group, i }, odds[i] ?? 0]);
  const asked = worthAsking(promising(all)).map(([{ i }]) => i);
  if (asked.length === 0) return { of, candidates: [], rows: [] };
  const edits = asked.flatMap((i) => candidates.slice(i, i + 1));
  const [answers, inPlace] = [await preferences(engine, document, edits), await inPlaceScores(engine, document, edits)];
  const rows = asked.flatMap((i, k) => {
    const [evidence, answer, placeScores] = [numbers[i], answers[k], inPlace[k]];
    return evidence && answer && placeScores ? [preferenceNumbers(odds[i] ?? 0, evidence, answer, placeScores)] : [];
  });
  return { of, candidates: asked, rows };
}

/** The edit that would be offered if the asked candidates had these logarithmic odds. */
export function offeredBy(document: NextEditCase, { candidates }: CaseExamples, asked: AskedCase, odds: number[]) {
  const proposals = asked.candidates.flatMap((i, k) =>
    candidates.slice(i, i + 1).map(({ start, end, text }) => ({
      ...{ edit: { start, end, text }, probability: probabilityOf(odds[k] ?? 0) },
    })),
  );
  return offered(document, () => Promise.resolve(mostLikely(proposals, document.text)));
}
