// Asks the editor for what only it knows, once for each line that the cursor comes to, and waits no longer than a person
// would: an answer that comes late serves the next time. Where nothing is said to be defined it is asked again: just after
// a window has opened, the language's features may not know yet.
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
        (result) => {
          this.keep(result, params.uri);
          if (result.defined.length === 0 && params.positions.length > 0) this.askAgain(place);
        },
        // An editor that cannot answer shares nothing.
        () => this.askAgain(place),
      );
      await Promise.race([answer, sleep(this.limitMs, undefined, { ref: false })]);
    }
    return this.latestUri === params.uri ? this.latest : { ...this.latest, defined: [] };
  }

  private askAgain(place: string): void {
    if (this.askedFor === place) this.askedFor = '';
  }

  private keep(result: RelatedResult, uri: string): void {
    this.latest = result;
    this.latestUri = uri;
  }
}
