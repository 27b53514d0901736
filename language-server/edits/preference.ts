// Whether the model would rather read the new lines than the old ones.

import type { Engine } from '../../native/index.ts';
import { concatTokens, tokenizeText } from '../prompt/fim-prompt.ts';

/**
 * log P(new) - log P(old), in nats. Both texts stand after the same head, which ends a line. Only the tokens in which they differ are compared, and the one
 * after: what is common before is common to both probabilities, and what follows is nearly as likely after either.
 */
export async function preference(
  engine: Engine,
  head: Uint32Array,
  texts: { old: string; now: string },
  signal?: AbortSignal,
): Promise<number> {
  const old = tokenizeText(engine, `${texts.old}\n`);
  const now = tokenizeText(engine, `${texts.now}\n`);
  let common = 0;
  while (common < old.length && common < now.length && old[common] === now[common]) common++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - common;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const first = concatTokens(head, old.subarray(0, common));
  let logRatio = 0;
  for (const [text, sign] of [
    [now, 1],
    [old, -1],
  ] as const) {
    const end = Math.min(text.length, text.length - tail + 1);
    for (let i = common; i < end; i++) {
      const logits = await engine.lastLogits(concatTokens(first, text.subarray(common, i)), 'background', signal);
      logRatio += sign * logProbability(logits, text[i] ?? 0);
    }
  }
  return logRatio;
}

function logProbability(logits: Float32Array, token: number): number {
  const most = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logits.reduce((total, each) => total + Math.exp(each - most), 0);
  return (logits[token] ?? Number.NEGATIVE_INFINITY) - most - Math.log(sum);
}
