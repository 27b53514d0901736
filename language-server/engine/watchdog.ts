// Watches the engine's heartbeat, which distinguishes a slow engine from one that hangs. The engine has its own thread,
// so the watchdog's timer runs even while an op does not end. Time is counted in periods of this timer, so time in
// which the process is suspended does not count, for example while the computer sleeps.
import type { EngineStatus, OpTime } from '../../native/index.ts';

const periodMs = 1000;
// The longest ops take a few hundred times as long as the median op. The longest of all takes about a second: a matrix
// product over a prefill chunk, with a 7B model on two old cores.
const hungAfterMedians = 1000;
const minHungAfterMs = 10_000;
/** If an op takes this many times as long as hungAfterMs(), the process exits, and the editor starts a new one. */
const giveUpFactor = 3;
/** A minute of work gives a steady median. The number is odd, so that one sample is in the middle. */
const maxSamples = 61;
/** Once the engine has been busy for this long, the log says that it is slow but working. */
const slowAfterMs = 5000;

export interface WatchdogEvents {
  slow(message: string): void;
  hung(message: string): void;
  recovered(): void;
  gaveUp(message: string): void;
}

export class Watchdog {
  private readonly timer: NodeJS.Timeout;
  private isHung = false;
  private busyPeriods = 0;
  /** The number of successive periods with work but without a heartbeat. */
  private stalledPeriods = 0;
  private lastBeat = -1;
  /** The average duration of an op in each of the last busy periods. */
  private readonly opMs: number[] = [];
  private readonly bandwidth = new WeightBandwidth();

  constructor(
    private readonly status: () => EngineStatus | null,
    private readonly events: WatchdogEvents,
  ) {
    this.timer = setInterval(() => this.look(), periodMs);
    this.timer.unref();
  }

  dispose(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const status = this.status();
    // Queued requests are work, too, even if the engine runs nothing.
    const isBusy = status !== null && (status.state !== 'idle' || status.queued > 0);
    this.busyPeriods = isBusy ? this.busyPeriods + 1 : 0;
    this.stalledPeriods = isBusy && status.beat === this.lastBeat ? this.stalledPeriods + 1 : 0;
    if (isBusy && this.busyPeriods > 1) this.noteBeats(status.beat - this.lastBeat);
    this.lastBeat = isBusy ? status.beat : -1;
    const opBandwidth = status && this.bandwidth.look(status.ops);
    const stalledMs = this.stalledPeriods * periodMs;
    const hungAfterMs = this.hungAfterMs();
    if (isBusy && stalledMs >= giveUpFactor * hungAfterMs) {
      this.events.gaveUp(`${describe(status, stalledMs)}; the server exits so that it can be restarted`);
    } else if (isBusy && stalledMs >= hungAfterMs) {
      if (!this.isHung) this.events.hung(describe(status, stalledMs));
      this.isHung = true;
    } else if (this.isHung) {
      this.isHung = false;
      this.events.recovered();
    } else if (isBusy && this.busyPeriods * periodMs === slowAfterMs) {
      const where = `${status.state} at token ${status.token}`;
      const bandwidth = opBandwidth === null ? '' : `, ${this.bandwidthText(opBandwidth)}`;
      this.events.slow(`slow but working: ${where}${bandwidth}, ${status.queued} more requests waiting`);
    }
  }

  private bandwidthText({ op, bytesPerSecond }: OpBandwidth): string {
    const { best } = this.bandwidth;
    return `operation "${op}" reads ${gigabytes(bytesPerSecond)} GB/s (the most so far was ${gigabytes(best)})`;
  }

  /** beats: the number of ops that ended in the last period. */
  private noteBeats(beats: number): void {
    if (beats <= 0) return;
    this.opMs.push(periodMs / beats);
    if (this.opMs.length > maxSamples) this.opMs.shift();
  }

  /** If an op takes longer than this, the engine counts as hung. */
  private hungAfterMs(): number {
    const median = [...this.opMs].sort((a, b) => a - b)[this.opMs.length >> 1] ?? 0;
    return Math.max(minHungAfterMs, median * hungAfterMedians);
  }
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);

function describe({ state, token, layer, op, opBytes, queued }: EngineStatus, stalledMs: number): string {
  const seconds = (stalledMs / 1000).toFixed(0);
  if (state === 'idle') return `The engine has not served its ${queued} waiting requests for ${seconds} s`;
  return `The engine has made no progress for ${seconds} s: ${state}, token ${token}, layer ${layer}, operation "${op}", which reads ${(opBytes / 1e6).toFixed(1)} MB`;
}

interface OpBandwidth {
  op: string;
  bytesPerSecond: number;
}

/**
 * The bytes of weights that the engine's ops read per second, measured between calls of look(). Memory bandwidth limits
 * decoding, so this number is the first to fall if the machine is busy or short of memory.
 */
class WeightBandwidth {
  private seen = new Map<string, OpTime>();
  /** The most bytes per second measured so far. */
  best = 0;

  /** The bandwidth of the op that has taken the most time since the last call; null if no op has run. */
  look(ops: OpTime[]): OpBandwidth | null {
    const newTimes = ops.map(({ op, ms, calls, bytes }) => {
      const before = this.seen.get(op);
      return {
        op,
        ms: ms - (before?.ms ?? 0),
        calls: calls - (before?.calls ?? 0),
        bytes: bytes - (before?.bytes ?? 0),
      };
    });
    this.seen = new Map(ops.map((time) => [time.op, time]));
    const longest = newTimes.filter(({ calls }) => calls > 0).sort((a, b) => b.ms - a.ms)[0];
    if (!longest || longest.ms <= 0) return null;
    const bytesPerSecond = (longest.bytes * 1000) / longest.ms;
    this.best = Math.max(this.best, bytesPerSecond);
    return { op: longest.op, bytesPerSecond };
  }
}
