// Three ways to answer a case: a simple rule for comparison, Hearth without a model, and Hearth with one.

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

export type Answerer = (testCase: NextEditCase) => Promise<NextEditAnswer>;

export const byRule: Answerer = (testCase) => answer(testCase, () => Promise.resolve(renameRule(testCase)));

/** Answers without a model, from the history of edits. */
export const byHistory: Answerer = (testCase) =>
  offered(testCase, (document) => {
    const proposals = likeliest(document, 5).map(([{ start, end, text }, odds]) => ({
      edit: { start, end, text },
      probability: probabilityOf(odds),
    }));
    return Promise.resolve(mostLikely(proposals, testCase.text));
  });

/** Answers with a model that scores proposals. As in an editor, the prompt's head except its last token is cached. */
export function byScore(engine: Engine, writing: Writing): Answerer {
  return async (testCase) => {
    const { head } = editPrompt(engine, testCase);
    if (head.length > 1) await engine.prefill(head.subarray(0, -1));
    return await offered(testCase, (document) => propose(engine, document, undefined, writing), engine);
  };
}

/**
 * The edit that the product would offer if `find` made its proposals. As in edit-search.ts, the next use of a renamed
 * declaration comes first, and unwanted edits are refused.
 */
export async function offered(
  testCase: NextEditCase,
  find: (document: EditedDocument) => Promise<Proposal | undefined>,
  engine?: Engine,
): Promise<NextEditAnswer> {
  const { path, text, languageId, history } = testCase;
  const found = await answer(
    testCase,
    async () => {
      const { use, isNamesake } = await nextUse(testCase, history);
      return use ? { edit: use, probability: renameProbability } : await find({ ...testCase, isNamesake });
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

/** engine: counts the evaluated tokens. */
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
