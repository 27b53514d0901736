// Asks the editor, once for each line that the cursor reaches, for definitions and for the open documents that may be
// used. It waits for a limited time; a later answer is used for the next request. If the answer has no definitions, the
// next request asks again: in a window that has just opened, the language extensions may not be ready yet. If the
// editor fails, no other document may be used.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelatedParams, RelatedResult } from '../protocol/messages.ts';

const defaultLimitMs = 300;

export interface EditorAnswer extends RelatedResult {
  /** The documents of the question that the editor does not share. */
  refused: string[];
}

const nothing: RelatedResult = { defined: [], shared: [] };

export class EditorAnswers {
  private latest: EditorAnswer = { ...nothing, refused: [] };
  /** The document of the latest answer. */
  private latestUri = '';
  /** The document, line and other documents of the last question; '' if it must be asked again. */
  private askedFor = '';
  /** The number of questions so far. */
  private asked = 0;
  /** The number of the latest answer's question. Answers to earlier questions are ignored. */
  private answered = 0;

  constructor(
    private readonly request: (params: RelatedParams) => Promise<RelatedResult>,
    private readonly limitMs = defaultLimitMs,
  ) {}

  /**
   * Returns the latest answer, which may be for another line. If it is for another document, its definitions are left
   * out.
   */
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

  /** Call when the set of shareable files changes. */
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
    this.latest = { defined, shared, refused: documents.filter((document) => !shared.includes(document)) };
    this.latestUri = uri;
  }
}
