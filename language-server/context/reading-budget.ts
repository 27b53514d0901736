// How much code of other files a prompt may hold: what this machine reads in a moment, measured on what it has read.
import type { Timings } from '../../native/index.ts';

const momentMs = 400;
const maxTokens = 1536;
// Attention reads all of a prompt for each token of an answer: for the starter model, of 8,192, an eighth of its context
// delays text by a fifth, a sixteenth by a tenth. Of a short context the document itself and the answer need all.
const contextShare = 1 / 16;
const leastContextTokens = 2048;
// Less than a small function is not worth another anchor.
const leastTokens = 96;
// Before anything was measured, as in an empty document just opened.
const unmeasuredTokens = 256;
// A few tokens take as long as many: they say nothing about speed.
const leastMeasured = 64;

/** Belongs to one engine. */
export class ReadingBudget {
  private tokensPerMs: number | null = null;

  constructor(private readonly contextTokens: number) {}

  note({ promptTokens, cachedTokens, prefillMs }: Timings): void {
    const tokens = promptTokens - cachedTokens;
    if (tokens < leastMeasured || prefillMs <= 0) return;
    const speed = tokens / prefillMs;
    this.tokensPerMs = this.tokensPerMs === null ? speed : (this.tokensPerMs + speed) / 2;
  }

  get tokens(): number {
    const affordable = this.tokensPerMs === null ? unmeasuredTokens : this.tokensPerMs * momentMs;
    const tokens = Math.floor(Math.min(affordable, maxTokens, this.contextTokens * contextShare));
    return this.contextTokens < leastContextTokens || tokens < leastTokens ? 0 : tokens;
  }
}
