// Asks the editor for what only it knows, once for each line that the cursor comes to, and waits no longer than a person
// would: an answer that comes late serves the next time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelatedParams, RelatedResult } from '../protocol.ts';

export const defaultLimitMs = 300;

export class EditorAnswers {
  private latest: RelatedResult = { defined: [], shared: [] };
  /** The document that the latest answer is about. */
  private latestUri = '';
  private askedFor = '';

  constructor(
    private readonly request: (params: RelatedParams) => Promise<RelatedResult>,
    private readonly limitMs = defaultLimitMs,
  ) {}

  /** The latest answer, which may be one about another place; definitions only of this document's names. */
  async ask(params: RelatedParams, line: number): Promise<RelatedResult> {
    const place = [params.uri, line, ...params.documents].join('\n');
    if (place !== this.askedFor) {
      this.askedFor = place;
      const answer = this.request(params).then(
        (result) => this.keep(result, params.uri),
        // An editor that cannot answer shares nothing.
        () => undefined,
      );
      await Promise.race([answer, sleep(this.limitMs, undefined, { ref: false })]);
    }
    return this.latestUri === params.uri ? this.latest : { ...this.latest, defined: [] };
  }

  private keep(result: RelatedResult, uri: string): void {
    this.latest = result;
    this.latestUri = uri;
  }
}
