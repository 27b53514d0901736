// What the model makes of candidates: whether it would rather read the new lines than the old ones, and whether what is
// being typed is likely to be whole. All of it is one request behind a head that is cached.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { Candidate } from '../proposals/candidate.ts';
import type { EditedDocument } from '../text/text-edit.ts';
import { editPrompt, question } from './edit-prompt.ts';

export interface Preference {
  /** log P(new lines) - log P(old lines), in nats, of the tokens in which they differ and the one after. */
  logRatio: number;
  /** The mean log-probability of the tokens that are new. */
  ofNew: number;
  /** The log-probability of the first token behind the cursor, after what has been typed. */
  ofTail: number;
}

/** Of each candidate; none if the signal was aborted. */
export async function preferences(
  engine: Engine,
  document: EditedDocument,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<Preference[]> {
  const { head, tail } = editPrompt(engine, document);
  const questions = candidates.map(({ start, end, text }) => {
    const old = document.text.slice(start, end);
    const asked = concatTokens(tail, question(engine, document.path, old));
    const [before, after] = [old, text].map((lines) => tokenizeText(engine, `${lines}\n`));
    return { from: asked.length, ...differing(before ?? asked, after ?? asked), asked };
  });
  const continuations = questions.flatMap(({ asked, before, after }) => [
    concatTokens(asked, before),
    concatTokens(asked, after),
  ]);
  const scores = await engine.scoreContinuations(head, continuations, 'background', signal);
  return scores.length === 0
    ? []
    : questions.map(({ from, common }, i) => {
        const [old, now] = [scores[2 * i], scores[2 * i + 1]].map(
          (all) => all?.subarray(from + common) ?? new Float32Array(),
        );
        const sum = (all: Float32Array = new Float32Array()) => all.reduce((total, each) => total + each, 0);
        const ofTail = tail.length > 0 ? (scores[2 * i]?.[0] ?? 0) : 0;
        return { logRatio: sum(now) - sum(old), ofNew: sum(now) / Math.max(1, now?.length ?? 0), ofTail };
      });
}

/** Both texts up to the first token that is common to their ends, and how many are common to their beginnings. */
function differing(before: Uint32Array, after: Uint32Array) {
  let common = 0;
  while (common < before.length && common < after.length && before[common] === after[common]) common++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - common;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const until = (text: Uint32Array) => text.subarray(0, Math.min(text.length, text.length - tail + 1));
  return { before: until(before), after: until(after), common };
}
