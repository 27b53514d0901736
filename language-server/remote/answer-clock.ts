// Measures an answer from a server. If the server counts tokens, its counts are used.
import type { Timings } from '../../native/index.ts';
import type { Piece, Usage } from './event-stream.ts';

export class AnswerClock {
  private readonly startedAt = performance.now();
  private firstAt: number | undefined;
  private texts = 0;
  private usage: Usage | undefined;

  constructor(private readonly promptTokens: number) {}

  get hasText(): boolean {
    return this.firstAt !== undefined;
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  count({ text, usage }: Piece): void {
    this.usage = usage ?? this.usage; // some servers send counts with every text: the last ones count
    if (text === '') return;
    this.firstAt ??= performance.now();
    this.texts++;
  }

  timings(): Timings {
    const now = performance.now();
    const firstAt = this.firstAt ?? now;
    const { promptTokens = this.promptTokens, cachedTokens = 0, completionTokens = this.texts } = this.usage ?? {};
    return {
      promptTokens,
      cachedTokens: Math.min(cachedTokens, promptTokens),
      prefillMs: firstAt - this.startedAt,
      ttftMs: firstAt - this.startedAt,
      completionTokens,
      decodeMs: now - firstAt,
      decodePasses: Math.max(0, completionTokens - 1),
    };
  }
}
