// Time limits for a server that may hang. They count the ticks of a timer instead of looking at a clock. While the
// computer sleeps, or another extension keeps this process busy, the timer does not tick. Before a limit counts as
// over, messages that have arrived meanwhile are read.

const tickMs = 250;

/** The server does not react. */
export class Unresponsive extends Error {
  constructor() {
    super('it does not react');
  }
}

/** Notices that restart() has not been called for the given time. */
export class Timeout {
  /** Resolves when that has happened, unless end() is called before. */
  readonly over: Promise<void>;
  private ticks = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    const isOver = () => this.ticks * tickMs >= ms;
    this.over = new Promise((resolve) => {
      this.timer = setInterval(() => {
        this.ticks++;
        if (isOver()) setImmediate(() => isOver() && resolve());
      }, tickMs);
    });
  }

  restart(): void {
    this.ticks = 0;
  }

  end(): void {
    clearInterval(this.timer);
    this.ticks = 0;
  }
}

/** Rejects with Unresponsive if the work takes longer than the limit. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const limit = new Timeout(ms);
  const isOver = limit.over.then(() => Promise.reject(new Unresponsive()));
  try {
    return await Promise.race([work, isOver]);
  } finally {
    limit.end();
  }
}
