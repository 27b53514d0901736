// Says whether a language server that died is started again, and on what. A crash loop helps nobody: it burns the
// processor and hides the reason.

/** A crash after good work is bad luck, so it may happen this often within the window… */
const crashesWhenReady = 4;
/** …but a server that never became ready (a broken model, a wrong processor) will die the same way once more. */
const crashesBeforeReady = 1;
const windowMs = 3 * 60 * 1000;
/** A GPU under which the server has died this often is left alone until the window is reloaded. */
const crashesOnGpu = 2;
/** After so many within the window, the server does without what it can do without. */
const crashesBeforeSafe = 3;

export class RestartPolicy {
  private wasReady = false;
  private isOnGpu = false;
  private deaths: number[] = [];
  private deathsOnGpu = 0;

  get avoidsGpu(): boolean {
    return this.deathsOnGpu >= crashesOnGpu;
  }

  /** Whether the next server runs on the CPU, without drafts and without pages on disk. */
  get isSafe(): boolean {
    return this.deaths.length >= crashesBeforeSafe;
  }

  ready(isOnGpu: boolean): void {
    this.wasReady = true;
    this.isOnGpu = isOnGpu;
  }

  /** True: start it again. now: of a clock that nobody puts forward or back, as performance.now() is. */
  died(now: number): boolean {
    if (this.isOnGpu) this.deathsOnGpu++;
    this.deaths = [...this.deaths.filter((time) => now - time < windowMs), now];
    return this.deaths.length <= (this.wasReady ? crashesWhenReady : crashesBeforeReady);
  }
}
