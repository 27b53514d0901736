// Says whether a language server that died is started again. A crash loop helps nobody: it burns the processor and
// hides the reason.

/** A crash after good work is bad luck, so it may happen this often within the window… */
const crashesWhenReady = 4;
/** …but a server that never became ready (a broken model, a wrong processor) will die the same way once more. */
const crashesBeforeReady = 1;
const windowMs = 3 * 60 * 1000;

export class RestartPolicy {
  private wasReady = false;
  private deaths: number[] = [];

  get hasDied(): boolean {
    return this.deaths.length > 0;
  }

  ready(): void {
    this.wasReady = true;
  }

  /** True: start it again. */
  died(now: number): boolean {
    this.deaths = [...this.deaths.filter((time) => now - time < windowMs), now];
    return this.deaths.length <= (this.wasReady ? crashesWhenReady : crashesBeforeReady);
  }
}
