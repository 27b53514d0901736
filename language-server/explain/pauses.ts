// Generates one answer in the pauses of another engine: two engines that compute at the same time would slow each other
// down. After an interruption, the answer continues from its tokens so far, which are in the engine's cache.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Completion, Engine, GenerateRequest, Timings } from '../../native/index.ts';
import { concatTokens } from '../prompt/fim-prompt.ts';
import type { ExplainResult } from '../protocol/messages.ts';

/** How long an answer may go on when the other engine gets a request: too short to notice while typing. */
const pollMs = 10;

export async function generateInPauses(
  engine: Engine,
  request: GenerateRequest,
  mustWait: () => boolean,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<ExplainResult> {
  let answer: ExplainResult | undefined;
  for (let { tokens, maxTokens } = request; ; ) {
    while (mustWait() && !signal.aborted) await sleep(pollMs);
    const interruption = new AbortController();
    const timer = setInterval(() => mustWait() && interruption.abort(), pollMs);
    const either = AbortSignal.any([signal, interruption.signal]);
    const part = await engine
      .generate({ ...request, tokens, maxTokens }, onText, either)
      .finally(() => clearInterval(timer));
    answer = joined(answer, part);
    const written = wholeCharacters(engine, part);
    tokens = concatTokens(tokens, written);
    maxTokens -= written.length;
    if (part.finishReason !== 'cancelled' || signal.aborted || maxTokens <= 0) return answer;
  }
}

/** The tokens without those at the end that have only a part of a character. `text` lacks this character, too. */
function wholeCharacters(engine: Engine, { text, tokens }: Completion): Uint32Array {
  let length = tokens.length;
  while (length > 0 && engine.detokenize(tokens.subarray(0, length)).length > text.length) length--;
  return tokens.subarray(0, length);
}

function joined(before: ExplainResult | undefined, { text, finishReason, timings }: Completion): ExplainResult {
  if (!before) return { text, finishReason, timings };
  return { text: before.text + text, finishReason, timings: sum(before.timings, timings) };
}

/** The size of the prompt and the time to the first token are those of the first part. Everything else is added up. */
function sum(first: Timings, next: Timings): Timings {
  return {
    ...first,
    prefillMs: first.prefillMs + next.prefillMs,
    completionTokens: first.completionTokens + next.completionTokens,
    decodeMs: first.decodeMs + next.decodeMs,
    decodePasses: first.decodePasses + next.decodePasses,
  };
}
