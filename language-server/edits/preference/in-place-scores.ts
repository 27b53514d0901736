// How well candidates fit their places: the model compares the new lines with the old ones, given the lines around
// them. This shows more than the history does, for example that a line is half typed.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { Candidate } from '../proposals/candidate.ts';
import type { EditedDocument } from '../text/text-edit.ts';
import { difference, sumOf } from './token-scores.ts';

/** The scores of a candidate. Both texts are scored from the first token that differs. */
export interface InPlaceScores {
  /** log P(text with the new lines) - log P(text with the old lines), in nats. */
  logRatio: number;
  /** The log-probability of the least likely token with the new lines. */
  rarestNew: number;
  /** The same with the old lines. */
  rarestOld: number;
}

const linesAbove = 2;
const charsAbove = 200;
const charsBelow = 200;

/** Returns the scores of each candidate; empty if the signal was aborted. Makes one request to the engine. */
export async function inPlaceScores(
  engine: Engine,
  { path, text }: EditedDocument,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<InPlaceScores[]> {
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
    const rarest = (nats: Float32Array | undefined) => Math.min(0, ...(nats ?? []));
    return { logRatio: sumOf(now) - sumOf(old), rarestNew: rarest(now), rarestOld: rarest(old) };
  });
}

/**
 * above: the lines above the edit. old, now: the old and the new lines, each with the line below. Long lines are cut.
 */
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
