// One answer, generated in as many turns as another engine leaves to it: two that compute at the same time would make
// each other slow. What was read before an interruption is in the cache when it goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Completion, Engine, GenerateRequest, Timings } from '../../native/index.ts';
import { concatTokens } from '../completion/fim-prompt.ts';

/** A key can bear to wait so long until the machine is its own. */
const pollMs = 10;

type Answer = Pick<Completion, 'text' | 'finishReason' | 'timings'>;

export async function generateInTurns(
  engine: Engine,
  request: GenerateRequest,
  mustWait: () => boolean,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<Answer> {
  let answer: Answer | undefined;
  for (let { tokens, maxTokens } = request; ; ) {
    while (mustWait() && !signal.aborted) await sleep(pollMs);
    const turn = new AbortController();
    const timer = setInterval(() => mustWait() && turn.abort(), pollMs);
    const either = AbortSignal.any([signal, turn.signal]);
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

/** An interruption may come between two tokens of one character, which has not been given to anybody then. */
function wholeCharacters(engine: Engine, { text, tokens }: Completion): Uint32Array {
  let length = tokens.length;
  while (length > 0 && engine.detokenize(tokens.subarray(0, length)).length > text.length) length--;
  return tokens.subarray(0, length);
}

function joined(before: Answer | undefined, { text, finishReason, timings }: Completion): Answer {
  if (!before) return { text, finishReason, timings };
  return { text: before.text + text, finishReason, timings: sum(before.timings, timings) };
}

/** The prompt and the time to the first token are those of the first turn. */
function sum(first: Timings, next: Timings): Timings {
  return {
    ...first,
    prefillMs: first.prefillMs + next.prefillMs,
    completionTokens: first.completionTokens + next.completionTokens,
    decodeMs: first.decodeMs + next.decodeMs,
    decodePasses: first.decodePasses + next.decodePasses,
  };
}
