// What the model thinks of candidates after the last edits: how much likelier the new lines are than the old ones, and
// whether the word at the cursor seems complete. One request asks for all of this. Its prompt begins with the cached
// head (edit-prompt.ts).
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { Candidate } from '../proposals/candidate.ts';
import type { EditedDocument } from '../text/text-edit.ts';
import { editPrompt, question } from './edit-prompt.ts';
import { difference, sumOf } from './token-scores.ts';

export interface Preference {
  /** log P(new lines) - log P(old lines), in nats, over the tokens that differ and the one after them. */
  logRatio: number;
  /** The mean log-probability of the new tokens. */
  ofNew: number;
  /** The log-probability of the first token after the cursor. */
  ofTail: number;
}

/** Returns one preference per candidate; empty if the signal was aborted. */
export async function preferences(
  engine: Engine,
  document: EditedDocument,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<Preference[]> {
  const { head, tail } = editPrompt(engine, document);
  const continuations = candidates.flatMap(({ start, end, text }) => {
    const old = document.text.slice(start, end);
    const asked = concatTokens(tail, question(engine, document.path, old));
    const { common, before, after } = difference(tokenizeText(engine, `${old}\n`), tokenizeText(engine, `${text}\n`));
    const given = concatTokens(asked, common);
    return [before, after].map((scored) => ({ given, scored }));
  });
  const afterCursor = { given: new Uint32Array(), scored: tail.subarray(0, 1) };
  const scores = await engine.scoreContinuations(head, [afterCursor, ...continuations], 'background', signal);
  if (scores.length === 0) return [];
  const ofTail = sumOf(scores[0]);
  return candidates.map((_, i) => {
    const [old, now] = [scores[2 * i + 1], scores[2 * i + 2]];
    return { logRatio: sumOf(now) - sumOf(old), ofNew: sumOf(now) / Math.max(1, now?.length ?? 0), ofTail };
  });
}
