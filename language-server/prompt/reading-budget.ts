// How many tokens of other files a prompt may hold: what this machine can evaluate in 400 ms, by its measured speed, or
// a small function if a slow one can evaluate that in a second. No key waits for it.
import type { Timings } from '../../native/index.ts';

const momentMs = 400;
const slowMs = 1000;
const maxTokens = 1536;
// Attention reads the whole prompt for each token of an answer: with the starter model (8,192 tokens of context),
// filling an eighth of the context delays text by a fifth, a sixteenth by a tenth. A short context is left to the
// document.
const contextShare = 1 / 16;
const minContextTokens = 2048;
// Fewer tokens than a small function are not worth a new anchor.
const minTokens = 96;
// The budget before anything has been measured.
const unmeasuredTokens = 256;
// Shorter prefills do not count: a few tokens take as long as many.
const minMeasured = 64;

/** For one engine. */
export class ReadingBudget {
  private tokensPerMs: number | null = null;

  constructor(private readonly contextTokens: number) {}

  note({ promptTokens, cachedTokens, prefillMs }: Timings): void {
    const tokens = promptTokens - cachedTokens;
    if (tokens < minMeasured || prefillMs <= 0) return;
    const speed = tokens / prefillMs;
    this.tokensPerMs = this.tokensPerMs === null ? speed : (this.tokensPerMs + speed) / 2;
  }

  get tokens(): number {
    const affordable = this.tokensPerMs === null ? unmeasuredTokens : this.tokensPerMs * momentMs;
    const isSlow = affordable < minTokens && affordable * (slowMs / momentMs) >= minTokens;
    const wanted = isSlow ? minTokens : affordable;
    const tokens = Math.floor(Math.min(wanted, maxTokens, this.contextTokens * contextShare));
    return this.contextTokens < minContextTokens || tokens < minTokens ? 0 : tokens;
  }
}
