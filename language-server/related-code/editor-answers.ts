// Asks the editor for definitions and for the documents that may be shared, once for each line that the cursor comes
// to. It waits for a limited time; a late answer is used the next time. If no definitions were found it asks again,
// because the language extensions of a window that has just opened may not be ready yet. If the editor fails, nothing is
// shared.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelatedParams, RelatedResult } from '../protocol/messages.ts';

const defaultLimitMs = 300;

export interface EditorAnswer extends RelatedResult {
  /** The documents that it was asked about and does not share. */
  refused: string[];
}

const nothing: RelatedResult = { defined: [], shared: [] };

export class EditorAnswers {
  private latest: EditorAnswer = { ...nothing, refused: [] };
  /** The document that the latest answer was for. */
  private latestUri = '';
  private askedFor = '';
  /** How many questions were asked. */
  private asked = 0;
  /** The number of the question that the latest answer was for; an older answer comes too late. */
  private answered = 0;

  constructor(
    private readonly request: (params: RelatedParams) => Promise<RelatedResult>,
    private readonly limitMs = defaultLimitMs,
  ) {}

  /** The latest answer, perhaps for another line. Definitions are returned only if it was for the same document. */
  async ask(params: RelatedParams, line: number): Promise<EditorAnswer> {
    const place = [params.uri, line, ...params.documents].join('\n');
    if (place !== this.askedFor) {
      this.askedFor = place;
      const number = ++this.asked;
      const answer = this.request(params).then(
        (result) => {
          this.keep(number, result, params);
          if (result.defined.length === 0 && params.positions.length > 0) this.askAgain(place);
        },
        () => {
          this.keep(number, nothing, params);
          this.askAgain(place);
        },
      );
      await Promise.race([answer, sleep(this.limitMs, undefined, { ref: false })]);
    }
    return this.latestUri === params.uri ? this.latest : { ...this.latest, defined: [] };
  }

  /** Call when other files may be shared than before. */
  forget(): void {
    this.keep(++this.asked, nothing, { uri: '', documents: [] });
    this.askedFor = '';
  }

  private askAgain(place: string): void {
    if (this.askedFor === place) this.askedFor = '';
  }

  private keep(
    number: number,
    { defined, shared }: RelatedResult,
    { uri, documents }: Omit<RelatedParams, 'positions'>,
  ): void {
    if (number < this.answered) return;
    this.answered = number;
    this.latest = { defined, shared, refused: documents.filter((each) => !shared.includes(each)) };
    this.latestUri = uri;
  }
}
