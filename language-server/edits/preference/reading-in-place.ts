// How candidates read where they stand: whether the model would rather read the lines around with the new ones than with
// the old ones. That says what the history cannot, such as whether a line that is still being typed is whole.
import type { Engine } from '../../../native/index.ts';
import { concatTokens, tokenizeText } from '../../prompt/fim-prompt.ts';
import type { Candidate } from '../proposals/candidate.ts';
import type { EditedDocument } from '../text/text-edit.ts';

export interface Reading {
  /** log P(with the new lines) - log P(with the old ones), in nats. */
  logRatio: number;
  /** The log-probability of the least likely token. */
  rarestNew: number;
  rarestOld: number;
}

const linesAbove = 6;
const charsAbove = 400;
const charsBelow = 200;

/** Of each candidate; none if the signal was aborted. All of it is one request. */
export async function readingsInPlace(
  engine: Engine,
  { path, text }: EditedDocument,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<Reading[]> {
  const { fileSep } = engine.info.special;
  const name = tokenizeText(engine, `${path}\n`);
  const head = fileSep < 0 ? name : concatTokens(fileSep, name);
  const around = candidates.map((edit) => {
    const { above, old, now } = surroundings(edit, text);
    return { above: tokenizeText(engine, above), texts: [old, now] };
  });
  const continuations = around.flatMap(({ above, texts }) =>
    texts.map((lines) => concatTokens(above, tokenizeText(engine, lines))),
  );
  const scores = await engine.scoreContinuations(head, continuations, 'background', signal);
  if (scores.length === 0) return [];
  return around.map(({ above }, i) => {
    const [old, now] = [scores[2 * i], scores[2 * i + 1]].map(
      (all) => all?.subarray(above.length) ?? new Float32Array(),
    );
    const sum = (all: Float32Array = new Float32Array()) => all.reduce((total, each) => total + each, 0);
    return {
      logRatio: sum(now) - sum(old),
      rarestNew: Math.min(0, ...(now ?? [])),
      rarestOld: Math.min(0, ...(old ?? [])),
    };
  });
}

/** Whole lines: those above, and those of the edit before and after, each with the line below. */
function surroundings({ start, end, text: lines }: Candidate, text: string) {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
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
