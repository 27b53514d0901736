// Asks a model with one of Hearth's adapters (models/training/next-edit) to write the lines of the likeliest edits
// itself. For each, it either writes the same edit, keeps the lines, or writes something else.
import type { Engine } from '../../../native/index.ts';
import { comesToTheSame, type EditedDocument, type TextEdit } from '../text/text-edit.ts';
import { answerTo } from './generate-edit.ts';
import { askAboutLines, linesChangedBy } from './hearth-format.ts';

/** An edit, and the logarithm of the odds that it follows. */
export interface Weighed {
  edit: TextEdit;
  odds: number;
}

// The new log-odds are a weighted sum of those by the evidence and the answer's log-probability, in nats. The weights
// were fitted by logistic regression to the answers of qwen2.5-coder-1.5b to 1,144 edits of 38 repositories that the
// adapter has not seen. Half a nat was subtracted, so that where nothing follows, edits are offered as rarely as
// without an adapter.
const minNats = -5;
const constant = -0.984;
const evidenceWeight = 0.947;
const ifSame = { constant: 1.236, natsWeight: 1.14 };
const ifUnchanged = { constant: -1.447, natsWeight: -0.289 };
const ifDifferent = { constant: 0, natsWeight: 0.304 };
/** For the edit that the model writes instead. */
const forOwnEdit = { constant: -0.305, evidenceWeight: -0.049, natsWeight: 2.278 };

/** The same edits with new odds, and the edits that the model writes instead; none if aborted. */
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
    const weights = isSame ? ifSame : answer.edit === null ? ifUnchanged : ifDifferent;
    all.push({ edit, odds: constant + evidenceWeight * odds + weights.constant + weights.natsWeight * nats });
    if (answer.edit !== null && !isSame)
      all.push({
        edit: answer.edit,
        odds: forOwnEdit.constant + forOwnEdit.evidenceWeight * odds + forOwnEdit.natsWeight * nats,
      });
  }
  return all;
}
