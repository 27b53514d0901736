// Computes the tokens per second of the last answers.
import type { Timings } from '../../native/index.ts';

const rememberedAnswers = 8;

export class Throughput {
  private readonly answers: Timings[] = [];

  add(timings: Timings): void {
    // An answer without a token was cancelled before its whole prompt was evaluated.
    if (timings.completionTokens === 0) return;
    this.answers.push(timings);
    if (this.answers.length > rememberedAnswers) this.answers.shift();
  }

  clear(): void {
    this.answers.length = 0;
  }

  /** Undefined before the first answer. */
  get decodeTokensPerSecond(): number | undefined {
    return this.rate((timings) => [timings.completionTokens, timings.decodeMs]);
  }

  get prefillTokensPerSecond(): number | undefined {
    return this.rate((timings) => [timings.promptTokens - timings.cachedTokens, timings.prefillMs]);
  }

  private rate(measure: (timings: Timings) => [tokens: number, ms: number]): number | undefined {
    let tokens = 0;
    let ms = 0;
    for (const answer of this.answers) {
      const [answerTokens, answerMs] = measure(answer);
      tokens += answerTokens;
      ms += answerMs;
    }
    return tokens > 0 && ms > 0 ? (tokens * 1000) / ms : undefined;
  }
}
