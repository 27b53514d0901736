// How well candidates fit their places: how much likelier the model finds the new lines among the lines around them
// than the old ones. That tells what the history cannot, such as whether a line that is still being typed is complete.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { Candidate } from '../proposals/candidate.ts';
import type { EditedDocument } from '../text/text-edit.ts';
import { difference, sumOf } from './token-scores.ts';

/** The scores from the first token on in which the old and the new text differ. */
export interface Reading {
  /** log P(with the new lines) - log P(with the old ones), in nats. */
  logRatio: number;
  /** The log-probability of the least likely token, with the new lines and with the old ones. */
  rarestNew: number;
  rarestOld: number;
}

const linesAbove = 2;
const charsAbove = 200;
const charsBelow = 200;

/** Returns one for each candidate, or none if the signal was aborted. It is one request to the engine. */
export async function readingsInPlace(
  engine: Engine,
  { path, text }: EditedDocument,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<Reading[]> {
  const { fileSep } = engine.info.special;
  const name = tokenizeText(engine, `${path}\n`);
  const head = fileSep < 0 ? name : concatTokens(fileSep, name);
  const continuations = candidates.flatMap((edit) => {
    const { above, old, now } = surroundings(edit, text);
    const { common, before, after } = difference(tokenizeText(engine, old), tokenizeText(engine, now));
    const given = concatTokens(tokenizeText(engine, above), common);
    return [before, after].map((scored) => ({ given, scored }));
  });
  const scores = await engine.scoreContinuations(head, continuations, 'background', signal);
  if (scores.length === 0) return [];
  return candidates.map((_, i) => {
    const [old, now] = [scores[2 * i], scores[2 * i + 1]];
    const rarest = (all: Float32Array | undefined) => Math.min(0, ...(all ?? []));
    return { logRatio: sumOf(now) - sumOf(old), rarestNew: rarest(now), rarestOld: rarest(old) };
  });
}

/** The lines above, and the lines before and after the edit, each with the line below. Long lines are cut. */
function surroundings({ start, end, text: lines }: Candidate, text: string) {
  const lineStart = text.slice(0, start).lastIndexOf('\n') + 1;
  const above = text
    .slice(Math.max(0, lineStart - charsAbove), lineStart)
    .split('\n')
    .slice(-linesAbove - 1)
    .join('\n');
  const below = /^[^\n]*\n?[^\n]*\n?/.exec(text.slice(end, end + charsBelow))?.[0] ?? '';
  return {
    above,
    old: text.slice(lineStart, end) + below,
    now: text.slice(lineStart, start) + lines + below,
  };
}
