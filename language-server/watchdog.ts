// Tells a slow engine from one that hangs, by the engine's heartbeat. The engine runs on its own thread, so this timer
// keeps running when an operation does not end. Time is counted in periods of this timer: while the whole process is
// stopped, as when the machine sleeps, none passes.
import type { EngineStatus } from '../native/index.ts';

const periodMs = 1000;
// The longest single operation is a matrix product over one prefill chunk: about a second for 7B on two old cores.
export const hungAfterMs = 10_000;
// After that the process is of no more use; the editor starts a new one.
export const hopelessAfterMs = 30_000;
const slowAfterMs = 5000;

export interface WatchdogEvents {
  slow(message: string): void;
  hung(message: string): void;
  recovered(): void;
  hopeless(message: string): void;
}

export class Watchdog {
  private readonly timer: NodeJS.Timeout;
  private isHung = false;
  private busyPeriods = 0;
  /** Without a heartbeat, though there is work. */
  private stalledPeriods = 0;
  private lastBeat = -1;

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
    // Requests that wait while nothing runs are work, too.
    const isBusy = status !== null && (status.state !== 'idle' || status.queued > 0);
    this.busyPeriods = isBusy ? this.busyPeriods + 1 : 0;
    this.stalledPeriods = isBusy && status.beat === this.lastBeat ? this.stalledPeriods + 1 : 0;
    this.lastBeat = isBusy ? status.beat : -1;
    const stalledMs = this.stalledPeriods * periodMs;
    if (isBusy && stalledMs >= hopelessAfterMs) {
      this.events.hopeless(`${describe(status, stalledMs)}; the server exits so that it can be restarted`);
    } else if (isBusy && stalledMs >= hungAfterMs) {
      if (!this.isHung) this.events.hung(describe(status, stalledMs));
      this.isHung = true;
    } else if (this.isHung) {
      this.isHung = false;
      this.events.recovered();
    } else if (isBusy && this.busyPeriods * periodMs === slowAfterMs) {
      this.events.slow(`slow but working: ${status.state} at token ${status.token}, ${status.queued} more waiting`);
    }
  }
}

function describe({ state, token, layer, op, queued }: EngineStatus, stalledMs: number): string {
  const seconds = (stalledMs / 1000).toFixed(0);
  if (state === 'idle') return `The engine has not served its ${queued} waiting requests for ${seconds} s`;
  return `The engine has made no progress for ${seconds} s: ${state}, token ${token}, layer ${layer}, operation "${op}"`;
}
