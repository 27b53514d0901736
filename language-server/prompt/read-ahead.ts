// Evaluates prompts in the background, so that they are in the cache when a key needs them: at a resting cursor (first
// without, then with code from other files), and with the next anchor while the user types.
import type { Completer, Timings } from '../../native/index.ts';
import type { Anchor } from './anchor.ts';
import type { Anchors, NextPrefill } from './anchors.ts';
import { promptBudget } from './fim-prompt.ts';
import type { PromptReach, Snippet } from './prompt-preamble.ts';
import type { CursorDocument } from './text-window.ts';

interface Job {
  /** The next anchor, if the job evaluates its prompt; absent for the prompt at a resting cursor. */
  anchor?: Anchor;
  document: CursorDocument;
  controller: AbortController;
}

/** Finds code in other files. */
export interface OtherCode {
  /** The code for a place, most useful first. */
  gather(document: CursorDocument, reach: PromptReach): Promise<Snippet[]>;
  /** Whether the last gather() has found that this file's code must not be in prompts. Earlier prompts may have it. */
  isRefused(path: string): boolean;
}

/** For one engine. There is at most one job for each document. */
export class ReadAhead {
  private readonly jobs = new Map<string, Job>();
  private readonly budget: OtherCodeBudget;

  constructor(
    private readonly engine: Completer,
    private readonly anchors: Anchors,
    private readonly others?: OtherCode,
  ) {
    this.budget = new OtherCodeBudget(engine.info.contextTokens);
  }

  /**
   * Evaluates the prompt at a resting cursor, then finds code from other files for this place. Null if the prompt was
   * not evaluated.
   */
  async aroundCursor(document: CursorDocument): Promise<Timings | null> {
    this.cancel(document.uri);
    let timings: Timings | null = null;
    let isUndisturbed = false;
    await this.run({ document, controller: new AbortController() }, async (signal) => {
      const { tokens } = this.anchors.prompt(document);
      const read = await this.engine.prefill(tokens, 'background', signal);
      if (signal.aborted) return;
      timings = read;
      this.budget.note(read);
      await this.findOtherCode(document);
      if (!signal.aborted) isUndisturbed = true;
    });
    if (isUndisturbed) await this.prepareNextAnchor(document);
    return timings;
  }

  /** Call after each key. Evaluates the prompt with the next anchor if one is due. */
  async prepareNextAnchor(document: CursorDocument): Promise<void> {
    const first = this.nextPrefill(document);
    const running = this.jobs.get(document.uri);
    if (first && running?.anchor === first.anchor) {
      running.document = document;
      return;
    }
    this.cancel(document.uri);
    if (!first) return;
    const job = { anchor: first.anchor, document, controller: new AbortController() };
    await this.run(job, async (signal) => {
      // The user types meanwhile, so this repeats until nothing is left to evaluate.
      let next: NextPrefill | null = first;
      while (next?.anchor === job.anchor) {
        await this.engine.prefill(next.tokens, 'background', signal);
        if (signal.aborted) return;
        next.done();
        next = this.anchors.nextPrefill(job.document);
      }
    });
  }

  /** The next prompt to evaluate; null if there is none, or if the engine is closed. */
  private nextPrefill(document: CursorDocument): NextPrefill | null {
    try {
      return this.anchors.nextPrefill(document);
    } catch {
      return null;
    }
  }

  /** Finds code and gives it to the anchors. The next anchor uses it even if a key has aborted the job meanwhile. */
  private async findOtherCode(document: CursorDocument): Promise<void> {
    if (!this.others) return;
    const maxTokens = this.budget.tokens;
    // If the machine has turned out to be slow, earlier code is dropped: nothing checks it for secrets any more.
    if (maxTokens === 0) return this.anchors.withdraw(() => true);
    const { prefixChars, suffixChars } = promptBudget(this.engine.info.contextTokens);
    const snippets = await this.others.gather(document, { before: prefixChars, after: suffixChars });
    this.anchors.withdraw(this.others.isRefused);
    this.anchors.setOtherCode(document, snippets, maxTokens);
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
      // Errors are ignored: reading ahead only saves time, and a broken engine fails at the next request anyway.
    } finally {
      if (this.jobs.get(uri) === job) this.jobs.delete(uri);
    }
  }
}

/** Reading code from other files should take at most this long. */
const affordableMs = 400;
/** On a slow machine, reading minTokens may take this long. */
const slowestMs = 1000;
const maxTokens = 1536;
// Attention reads the whole prompt for each token of an answer. With the starter model (8,192 tokens of context), code
// that fills 1/16 of the context makes each answer 10 % slower, and code that fills 1/8 makes it 20 % slower. A context
// shorter than minContextTokens is left to the document alone.
const contextShare = 1 / 16;
const minContextTokens = 2048;
// The size of a small function. Less code is not worth a new anchor.
const minTokens = 96;
// The budget before anything has been measured.
const unmeasuredTokens = 256;
// Shorter prefills are not measured: a few tokens take as long as many.
const minMeasured = 64;

/**
 * How many tokens from other files a prompt may contain: as many as this machine reads in affordableMs, by its measured
 * speed. If that is less than minTokens, but the machine reads minTokens within slowestMs: minTokens. For one engine.
 */
export class OtherCodeBudget {
  private tokensPerMs: number | null = null;

  constructor(private readonly contextTokens: number) {}

  /** Call with the timings of each prefill at a resting cursor. */
  note({ promptTokens, cachedTokens, prefillMs }: Timings): void {
    const tokens = promptTokens - cachedTokens;
    if (tokens < minMeasured || prefillMs <= 0) return;
    const speed = tokens / prefillMs;
    this.tokensPerMs = this.tokensPerMs === null ? speed : (this.tokensPerMs + speed) / 2;
  }

  get tokens(): number {
    const affordable = this.tokensPerMs === null ? unmeasuredTokens : this.tokensPerMs * affordableMs;
    const isSlow = affordable < minTokens && affordable * (slowestMs / affordableMs) >= minTokens;
    const wanted = isSlow ? minTokens : affordable;
    const tokens = Math.floor(Math.min(wanted, maxTokens, this.contextTokens * contextShare));
    return this.contextTokens < minContextTokens || tokens < minTokens ? 0 : tokens;
  }
}
