// Gets one suggestion from two models. The second one starts if the first fails, or if it still has no text when its
// head start is over. The model whose text comes first makes the whole suggestion: texts of two models never mix.
import { setTimeout as sleep } from 'node:timers/promises';
import { noTimings } from '../protocol/messages.ts';
import type { Suggestion } from '../shape/shape.ts';
import type { Generate, GhostCompletion, OnGrowth } from './complete.ts';

/** headStartMs: Infinity if the second model starts only after the first has failed. Rejects if both fail. */
export function firstWithText(generateFirst: Generate, generateSecond: Generate, headStartMs: number): Generate {
  return async (onGrowth, signal) => {
    const first = new Attempt(generateFirst, signal);
    const early = await within(first.outcome, headStartMs);
    if (early === 'text' || early === 'nothing' || signal.aborted) return first.result(onGrowth);
    const second = new Attempt(generateSecond, signal);
    const winner = await firstToHaveText(first, second);
    (winner === first ? second : first).stop();
    return winner.result(onGrowth);
  };
}

/**
 * Resolves to the attempt that has text first. If neither gets any: to the second, unless only the second has failed.
 */
async function firstToHaveText(first: Attempt, second: Attempt): Promise<Attempt> {
  try {
    return await Promise.any([first.withText(), second.withText()]);
  } catch {
    return (await second.outcome) === 'failed' && (await first.outcome) === 'nothing' ? first : second;
  }
}

/** The generation of one model's text. It starts at once, and result() passes the text on. */
class Attempt {
  readonly outcome: Promise<'text' | 'nothing' | 'failed'>;
  private readonly controller = new AbortController();
  private readonly completion: Promise<GhostCompletion>;
  private last: Suggestion | undefined;
  private onGrowth: OnGrowth = () => {};

  constructor(generate: Generate, signal: AbortSignal) {
    let begin: (outcome: 'text') => void = () => {};
    const begun = new Promise<'text'>((resolve) => {
      begin = resolve;
    });
    const onGrowth = (suggestion: Suggestion) => {
      this.last = suggestion;
      this.onGrowth(suggestion);
      begin('text');
    };
    this.completion = generate(onGrowth, AbortSignal.any([signal, this.controller.signal]));
    const ended = this.completion.then(
      ({ suggestions }) => (suggestions.length > 0 ? 'text' : 'nothing'),
      () => 'failed' as const,
    );
    this.outcome = Promise.race([begun, ended]);
  }

  /** Resolves to this attempt once it has text; rejects if it ends without any. */
  async withText(): Promise<Attempt> {
    if ((await this.outcome) !== 'text') throw new Error('no text');
    return this;
  }

  /**
   * Passes on the growing text, then the result. If the model fails after it has sent text, that text is the result.
   */
  async result(onGrowth: OnGrowth): Promise<GhostCompletion> {
    if (this.last) onGrowth(this.last);
    this.onGrowth = onGrowth;
    try {
      return await this.completion;
    } catch (error) {
      if (!this.last) throw error;
      return partialResult(this.last);
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

/** The result of an attempt that failed after it had sent this suggestion. */
function partialResult(last: Suggestion): GhostCompletion {
  return { suggestions: [last], reason: null, finishReason: 'length', timings: noTimings };
}
