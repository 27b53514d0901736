// The newest request for a document wins: the one before it is cancelled and answers nothing. The engine orders what
// remains (foreground first), so there is no queue of our own to fill up.

export class InferenceQueue {
  private readonly running = new Map<string, AbortController>();

  /** Runs the job with a signal that aborts when the caller's does, or when a newer job has the same key. */
  async run<T>(key: string, job: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
    this.cancel(key);
    const controller = new AbortController();
    this.running.set(key, controller);
    try {
      return await job(outer ? AbortSignal.any([outer, controller.signal]) : controller.signal);
    } finally {
      if (this.running.get(key) === controller) this.running.delete(key);
    }
  }

  isRunning(key: string): boolean {
    return this.running.has(key);
  }

  cancel(key: string): void {
    this.running.get(key)?.abort();
    this.running.delete(key);
  }

  cancelAll(): void {
    for (const key of [...this.running.keys()]) this.cancel(key);
  }
}
