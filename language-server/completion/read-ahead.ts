// What the engine reads before a key needs it, at background priority: the text around a cursor that rests, then with it
// code of other files, and the next anchor's prompt while the user types.
import type { Engine, Timings } from '../../native/index.ts';
import { ReadingBudget } from '../context/reading-budget.ts';
import type { PromptReach } from '../context/related-code.ts';
import type { Anchor } from './anchor.ts';
import type { Anchors, Reading } from './anchors.ts';
import { promptBudget } from './fim-prompt.ts';
import type { Snippet } from './prompt-lead.ts';
import type { CursorDocument } from './text-window.ts';

interface Job {
  /** The next anchor that it reads; none where it reads around a resting cursor. */
  anchor?: Anchor;
  document: CursorDocument;
  controller: AbortController;
}

/** Finds code of other files for a place, the most useful first. */
export type Gather = (document: CursorDocument, reach: PromptReach) => Promise<Snippet[]>;

/** At most one job a document; belongs to one engine. */
export class ReadAhead {
  private readonly jobs = new Map<string, Job>();
  private readonly contextBudget: ReadingBudget;

  constructor(
    private readonly engine: Engine,
    private readonly anchors: Anchors,
    private readonly gather: Gather = () => Promise.resolve([]),
  ) {
    this.contextBudget = new ReadingBudget(engine.info.contextTokens);
  }

  /** The cursor rests here: what a request at this place needs, then what is due. Null when it was given up. */
  async aroundCursor(document: CursorDocument): Promise<Timings | null> {
    this.cancel(document.uri);
    const { tokens } = this.anchors.prompt(document);
    let timings: Timings | null = null;
    let isUndisturbed = false;
    await this.run({ document, controller: new AbortController() }, async (signal) => {
      const read = await this.engine.prefill(tokens, 'background', signal);
      if (signal.aborted) return;
      timings = read;
      this.contextBudget.note(read);
      await this.findContext(document);
      if (!signal.aborted) isUndisturbed = true;
    });
    if (isUndisturbed) await this.nextAnchor(document);
    return timings;
  }

  /** A key was pressed here: goes on with the next anchor, if it is time for one. */
  async nextAnchor(document: CursorDocument): Promise<void> {
    const reading = this.anchors.reading(document);
    const running = this.jobs.get(document.uri);
    if (reading && running?.anchor === reading.anchor) {
      running.document = document;
      return;
    }
    this.cancel(document.uri);
    if (!reading) return;
    const job = { anchor: reading.anchor, document, controller: new AbortController() };
    await this.run(job, async (signal) => {
      // What was typed while the engine read is read in turn, until the anchor has caught up.
      for (let next: Reading | null = reading; next?.anchor === job.anchor; next = this.anchors.reading(job.document)) {
        await this.engine.prefill(next.tokens, 'background', signal);
        if (signal.aborted) return;
        next.done();
      }
    });
  }

  /** Where keys come meanwhile, the next one finds the context that is to be read. */
  private async findContext(document: CursorDocument): Promise<void> {
    const maxTokens = this.contextBudget.tokens;
    if (maxTokens === 0) return;
    const { prefixChars, suffixChars } = promptBudget(this.engine.info.contextTokens);
    const snippets = await this.gather(document, { before: prefixChars, after: suffixChars });
    this.anchors.setContext(document, snippets, maxTokens);
  }

  cancel(uri: string): void {
    this.jobs.get(uri)?.controller.abort();
    this.jobs.delete(uri);
  }

  cancelAll(): void {
    for (const uri of [...this.jobs.keys()]) this.cancel(uri);
  }

  private async run(job: Job, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { uri } = job.document;
    this.jobs.set(uri, job);
    try {
      await work(job.controller.signal);
    } catch {
      // Reading ahead only saves time: what is wrong with the engine shows at the next request.
    } finally {
      if (this.jobs.get(uri) === job) this.jobs.delete(uri);
    }
  }
}
