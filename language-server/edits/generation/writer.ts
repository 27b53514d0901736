// What a model writes that has learned from an adapter of Hearth's (models/training/next-edit), where the likeliest edits
// are: it is asked about the lines of each, and either agrees, keeps the lines, or writes something else.
import type { Engine } from '../../../native/index.ts';
import { comesToTheSame, type EditedDocument, type TextEdit } from '../text/text-edit.ts';
import { answerTo } from './generate-edit.ts';
import { askAboutLines, linesChangedBy } from './hearth-format.ts';

/** An edit, and the logarithm of the odds that it follows. */
export interface Weighed {
  edit: TextEdit;
  odds: number;
}

// How the odds follow from those by the evidence and the answer's log-probability, in nats. Fitted by logistic regression to
// the answers of qwen2.5-coder-1.5b to 1,144 edits of 38 repositories that the adapter has not seen, less half a nat: so
// nothing is offered as often as without an adapter where nothing follows.
const minNats = -5;
const constant = -0.984;
const ofEvidence = 0.947;
const whereItAgrees = { constant: 1.236, ofNats: 1.14 };
const whereItKeeps = { constant: -1.447, ofNats: -0.289 };
const whereItDiffers = { constant: 0, ofNats: 0.304 };
const ofItsOwn = { constant: -0.305, ofEvidence: -0.049, ofNats: 2.278 };

/** The same edits with what the adapter makes of them, and the edits that it writes instead; none if aborted. */
export async function withWriter(
  engine: Engine,
  adapter: string,
  document: EditedDocument,
  likely: readonly Weighed[],
  signal?: AbortSignal,
): Promise<Weighed[]> {
  const all: Weighed[] = [];
  for (const { edit, odds } of likely) {
    const question = askAboutLines(engine, document, linesChangedBy(edit, document.text));
    const answer = question && (await answerTo(engine, question, document.text, { signal, adapter }));
    if (signal?.aborted) return [];
    if (!answer) {
      all.push({ edit, odds });
      continue;
    }
    const nats = Math.max(minNats, answer.logProbability);
    const isSame = answer.edit !== null && comesToTheSame(document.text, edit, answer.edit);
    const weights = isSame ? whereItAgrees : answer.edit === null ? whereItKeeps : whereItDiffers;
    all.push({ edit, odds: constant + ofEvidence * odds + weights.constant + weights.ofNats * nats });
    if (answer.edit !== null && !isSame)
      all.push({ edit: answer.edit, odds: ofItsOwn.constant + ofItsOwn.ofEvidence * odds + ofItsOwn.ofNats * nats });
  }
  return all;
}
