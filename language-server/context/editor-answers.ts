// Asks the editor for what only it knows, and waits no longer than a person would: an answer that comes late serves the
// next time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelatedParams, RelatedResult } from '../protocol.ts';

export const defaultLimitMs = 300;

export class EditorAnswers {
  private latest: RelatedResult = { defined: [], shared: [] };
  private asked = 0;
  private answered = 0;

  constructor(
    private readonly request: (params: RelatedParams) => Promise<RelatedResult>,
    private readonly limitMs = defaultLimitMs,
  ) {}

  async ask(params: RelatedParams): Promise<RelatedResult> {
    const number = ++this.asked;
    const answer = this.request(params).then(
      (result) => this.keep(result, number),
      // An editor that cannot answer shares nothing.
      () => undefined,
    );
    await Promise.race([answer, sleep(this.limitMs, undefined, { ref: false })]);
    return this.latest;
  }

  private keep(result: RelatedResult, number: number): void {
    if (number < this.answered) return;
    this.answered = number;
    this.latest = result;
  }
}
