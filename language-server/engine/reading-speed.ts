// How fast the engine's ops read the weights, measured between calls of look(). Decoding is bound by memory, so a
// machine that is busy or short of memory shows here first.
import type { OpTime } from '../../native/index.ts';

export interface OpSpeed {
  op: string;
  bytesPerSecond: number;
}

export class ReadingSpeed {
  private seen = new Map<string, OpTime>();
  /** The highest speed measured so far. */
  best = 0;

  /** The op that has taken the most time since the last call; null if none has run. */
  look(ops: OpTime[]): OpSpeed | null {
    const since = ops.map(({ op, ms, calls, bytes }) => {
      const before = this.seen.get(op);
      return {
        op,
        ms: ms - (before?.ms ?? 0),
        calls: calls - (before?.calls ?? 0),
        bytes: bytes - (before?.bytes ?? 0),
      };
    });
    this.seen = new Map(ops.map((time) => [time.op, time]));
    const longest = since.filter(({ calls }) => calls > 0).sort((a, b) => b.ms - a.ms)[0];
    if (!longest || longest.ms <= 0) return null;
    const bytesPerSecond = (longest.bytes * 1000) / longest.ms;
    this.best = Math.max(this.best, bytesPerSecond);
    return { op: longest.op, bytesPerSecond };
  }
}
