// The rule "rename the others, too", which asks no model: what a proposal must be better than.
import { nearestFirst, substitutedLines } from '../../../language-server/edits/candidates.ts';
import { substitutionsOf } from '../../../language-server/edits/substitutions.ts';
import { isWord, wordsOf } from '../../../language-server/edits/text-edit.ts';
import type { NextEditAnswer, NextEditCase } from './next-edit-case.ts';

/** The nearest other line with the name that was replaced last. */
export function renameRule({ path, text, cursor, history }: NextEditCase): NextEditAnswer {
  const startedAt = performance.now();
  const renamed = substitutionsOf(history).find(({ old, now }) => isName(old) && isName(now));
  const [nearest] = nearestFirst(substitutedLines(text, renamed ? [renamed] : []), text, cursor);
  const edit = nearest ? { path, start: nearest.start, end: nearest.end, text: nearest.text } : null;
  return {
    edit,
    probability: null,
    reason: edit ? null : 'no name was replaced',
    tokens: 0,
    ms: performance.now() - startedAt,
  };
}

function isName(text: string): boolean {
  return isWord(text) && wordsOf(text).length === 1;
}
