// Two models for one suggestion. The second is asked if the first has failed, or has no text after its head start. The one
// whose text comes first makes the suggestion; texts of both never mix.
import { setTimeout as sleep } from 'node:timers/promises';
import { noTimings } from '../protocol/messages.ts';
import type { Suggestion } from '../rules/shape.ts';
import type { Generation, GhostCompletion } from './complete.ts';

type Begin = (signal: AbortSignal) => Generation;

/** headStartMs: Infinity if the second is asked only when the first has failed. Rejects if both fail. */
export async function* firstWithText(
  beginFirst: Begin,
  beginSecond: Begin,
  headStartMs: number,
  signal: AbortSignal,
): Generation {
  const first = new Attempt(beginFirst, signal);
  let second: Attempt | undefined;
  try {
    const early = await within(first.outcome, headStartMs);
    if (early === 'text' || early === 'nothing' || signal.aborted) return yield* first.rest();
    second = new Attempt(beginSecond, signal);
    const winner = await better(first, second);
    (winner === first ? second : first).stop();
    return yield* winner.rest();
  } finally {
    first.stop();
    second?.stop();
  }
}

/** The one whose text comes first; if neither has any, one that has not failed, if there is one. */
async function better(first: Attempt, second: Attempt): Promise<Attempt> {
  try {
    return await Promise.any([first.withText(), second.withText()]);
  } catch {
    return (await second.outcome) === 'failed' && (await first.outcome) === 'nothing' ? first : second;
  }
}

class Attempt {
  readonly outcome: Promise<'text' | 'nothing' | 'failed'>;
  private readonly controller = new AbortController();
  private readonly generation: Generation;
  private readonly step: ReturnType<Generation['next']>;

  constructor(begin: Begin, signal: AbortSignal) {
    this.generation = begin(AbortSignal.any([signal, this.controller.signal]));
    this.step = this.generation.next();
    this.outcome = this.step.then(
      ({ done, value }) => (!done || value.suggestions.length > 0 ? 'text' : 'nothing'),
      () => 'failed',
    );
  }

  /** Rejects if there is no text. */
  async withText(): Promise<Attempt> {
    if ((await this.outcome) !== 'text') throw new Error('no text');
    return this;
  }

  /** If it fails after the first text, that text stays. */
  async *rest(): Generation {
    let last: Suggestion | undefined;
    try {
      let step = await this.step;
      for (; !step.done; step = await this.generation.next()) {
        last = step.value;
        yield last;
      }
      return step.value;
    } catch (error) {
      if (!last) throw error;
      return brokenOff(last);
    }
  }

  stop(): void {
    this.controller.abort();
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return work;
  const isOver = new AbortController();
  const over = sleep(ms, undefined, { signal: isOver.signal }).catch(() => undefined);
  const result = await Promise.race([work, over]);
  isOver.abort();
  return result;
}

/** What is shown already stays, without the rest. */
function brokenOff(last: Suggestion): GhostCompletion {
  return { suggestions: [last], reason: null, finishReason: 'length', timings: noTimings };
}
