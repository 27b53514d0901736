// Time limits for a server that may hang. They count the ticks of a timer instead of reading a clock, because the timer
// does not tick while the computer sleeps or another extension keeps this process busy. Messages that arrived in that
// time are read before a limit expires.

const tickMs = 250;

/** Thrown if the server does not react. */
export class Unresponsive extends Error {
  constructor() {
    super('it does not react');
  }
}

/** A time limit that begins again whenever restart() is called. */
export class Timeout {
  /** Resolves when the time is over; never if end() is called before that. */
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
