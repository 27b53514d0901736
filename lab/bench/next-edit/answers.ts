// The answers to cases: from a rule, or from Hearth with the history alone or with a model.

import { LongText } from '../../../language-server/documents/long-text.ts';
import {
  likeliest,
  mostLikely,
  type Proposal,
  propose,
  type Writing,
} from '../../../language-server/edits/decision/propose.ts';
import { breaksSyntax, whyUnwanted } from '../../../language-server/edits/decision/unwanted-edit.ts';
import { probabilityOf } from '../../../language-server/edits/evidence/trees.ts';
import { editPrompt } from '../../../language-server/edits/preference/edit-prompt.ts';
import { renameProbability } from '../../../language-server/edits/proposals/renames/renamed-uses.ts';
import type { EditedDocument } from '../../../language-server/edits/text/text-edit.ts';
import { forgetTree } from '../../../language-server/syntax/trees.ts';
import type { Engine } from '../../../native/index.ts';
import { nextUse } from '../../../test/support/next-use.ts';
import type { NextEditAnswer, NextEditCase } from './next-edit-case.ts';
import { renameRule } from './rename-rule.ts';

export type Answerer = (of: NextEditCase) => Promise<NextEditAnswer>;

export const byRule: Answerer = (of) => answer(of, () => Promise.resolve(renameRule(of)));

export const byHistory: Answerer = (of) =>
  offered(of, (document) => {
    const proposals = likeliest(document, 5).map(([{ start, end, text }, odds]) => ({
      ...{ edit: { start, end, text }, probability: probabilityOf(odds) },
    }));
    return Promise.resolve(mostLikely(proposals, of.text));
  });

/** Text before the last key is cached, as in an editor. */
export function byScore(engine: Engine, writing: Writing): Answerer {
  return async (of) => {
    const { head } = editPrompt(engine, of);
    if (head.length > 1) await engine.prefill(head.subarray(0, -1));
    return await offered(of, (document) => propose(engine, document, undefined, writing), engine);
  };
}

/** Like edit-search.ts: the uses of a renamed declaration first, and nothing that is never offered. */
export async function offered(
  of: NextEditCase,
  find: (document: EditedDocument) => Promise<Proposal | undefined>,
  engine?: Engine,
): Promise<NextEditAnswer> {
  const { path, text, languageId, history } = of;
  const found = await answer(
    of,
    async () => {
      const { use, isNamesake } = await nextUse(of, history);
      return use ? { edit: use, probability: renameProbability } : await find({ ...of, isNamesake });
    },
    engine,
  );
  const source = { uri: `case:${path}`, languageId, text: LongText.of(text) };
  const refusal =
    found.edit &&
    (whyUnwanted(found.edit, text, found.probability ?? 0) ??
      (breaksSyntax(found.edit, source) ? ('breaks-syntax' as const) : null));
  forgetTree(source.uri);
  return refusal ? { ...found, edit: null, probability: null, reason: refusal } : found;
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
