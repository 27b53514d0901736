// Who answers: a rule, what the history says, or that and a model.

import { probabilityOf } from '../../../language-server/edits/confidence.ts';
import { editPrompt } from '../../../language-server/edits/edit-prompt.ts';
import { likeliest, mostLikely, type Proposal, propose } from '../../../language-server/edits/propose.ts';
import type { Engine } from '../../../native/index.ts';
import type { NextEditAnswer, NextEditCase } from './next-edit-case.ts';
import { renameRule } from './rename-rule.ts';

export type Answerer = (of: NextEditCase) => Promise<NextEditAnswer>;

export const byRule: Answerer = (of) => answer(of, () => Promise.resolve(renameRule(of)));

export const byHistory: Answerer = (of) =>
  answer(of, () => {
    const proposals = likeliest(of, 5).map(([{ start, end, text }, odds]) => ({
      ...{ edit: { start, end, text }, probability: probabilityOf(odds) },
    }));
    return Promise.resolve(mostLikely(proposals, of.text));
  });

/** What was there before the last key is cached, as in an editor. */
export function byScore(engine: Engine): Answerer {
  return async (of) => {
    const { head } = editPrompt(engine, of);
    if (head.length > 1) await engine.prefill(head.subarray(0, -1));
    return await answer(of, () => propose(engine, of), engine);
  };
}

async function answer(
  { path }: NextEditCase,
  find: () => Promise<Proposal | undefined>,
  engine?: Engine,
): Promise<NextEditAnswer> {
  const evaluated = () => engine?.status().cache.missTokens ?? 0;
  const [startedAt, before] = [performance.now(), evaluated()];
  const found = await find();
  const took = { tokens: evaluated() - before, ms: performance.now() - startedAt };
  if (found === undefined)
    return { edit: null, probability: null, reason: 'nothing follows from the last edits', ...took };
  const { start, end, text } = found.edit;
  return { edit: { path, start, end, text }, probability: found.probability, reason: null, ...took };
}
