// As if accepted: while ghost text is shown, what would follow it is made in the background. The request after it was
// accepted, or typed to its end, finds the answer made or under way.
import { setTimeout as sleep } from 'node:timers/promises';
import { type GhostCompletion, noText, noTimings } from './complete.ts';
import type { Suggestion } from './suggestion.ts';
import type { CursorDocument } from './text-window.ts';

// While someone types past the ghost text every answer is soon out of date; what follows it can wait for a short rest.
export const defaultRestMs = 150;

export type MakeAhead = (
  document: CursorDocument,
  signal: AbortSignal,
  onText: (suggestion: Suggestion) => void,
) => Promise<GhostCompletion>;

export interface Ahead {
  firstText: Promise<Suggestion>;
  completion: Promise<GhostCompletion>;
}

interface Job {
  document: CursorDocument;
  controller: AbortController;
  /** null while it waits for the rest. */
  ahead: Ahead | null;
}

/** One completion ahead for each document. */
export class Prefetch {
  private readonly jobs = new Map<string, Job>();

  constructor(private readonly restMs = defaultRestMs) {}

  /** Makes the completion at this place, unless that is under way, instead of what was made for another one. */
  async start(document: CursorDocument, make: MakeAhead): Promise<void> {
    if (this.jobAt(document)) return;
    this.cancel(document.uri);
    const job: Job = { document, controller: new AbortController(), ahead: null };
    const { signal } = job.controller;
    this.jobs.set(document.uri, job);
    try {
      await sleep(this.restMs, undefined, { signal, ref: false });
      let tell: (suggestion: Suggestion) => void = () => {};
      const firstText = new Promise<Suggestion>((resolve) => {
        tell = resolve;
      });
      job.ahead = { firstText, completion: make(document, signal, tell) };
      const made = await job.ahead.completion;
      if (made.reason === 'cancelled') this.drop(job);
    } catch {
      // Work ahead only saves time: what is wrong with the engine shows at the next request.
      this.drop(job);
    }
  }

  /** What is made for exactly this place, once its making has begun. */
  find(document: CursorDocument): Ahead | null {
    return this.jobAt(document)?.ahead ?? null;
  }

  cancel(uri: string): void {
    this.jobs.get(uri)?.controller.abort();
    this.jobs.delete(uri);
  }

  cancelAll(): void {
    for (const uri of [...this.jobs.keys()]) this.cancel(uri);
  }

  private drop(job: Job): void {
    if (this.jobs.get(job.document.uri) === job) this.jobs.delete(job.document.uri);
  }

  private jobAt({ uri, text, offset }: CursorDocument): Job | null {
    const job = this.jobs.get(uri);
    return job && job.document.offset === offset && job.document.text === text ? job : null;
  }
}

/** The document and the cursor behind the text, as if it had been accepted. */
export function accepted(document: CursorDocument, text: string): CursorDocument {
  const { offset } = document;
  const before = document.text.slice(0, offset) + text;
  return { ...document, text: before + document.text.slice(offset), offset: before.length };
}

/** No forward pass is made for this request, so it has no timings; its end leaves the work ahead going. */
export async function takeOver(
  { firstText, completion }: Ahead,
  signal: AbortSignal,
  onText?: (suggestion: Suggestion) => void,
): Promise<GhostCompletion> {
  const cancelled = { ...noText('cancelled', 'cancelled'), timings: noTimings };
  if (signal.aborted) return cancelled;
  void firstText.then((text) => signal.aborted || onText?.(text));
  const end = new Promise<typeof cancelled>((resolve) => {
    signal.addEventListener('abort', () => resolve(cancelled), { once: true });
  });
  return { ...(await Promise.race([completion, end])), timings: noTimings };
}
