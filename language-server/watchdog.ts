// Tells a slow engine from one that hangs, by the engine's heartbeat. The engine runs on its own thread, so this timer
// keeps running when an operation does not end.
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
    const isBusy = status !== null && status.state !== 'idle';
    this.busyPeriods = isBusy ? this.busyPeriods + 1 : 0;
    if (isBusy && status.stalledMs >= hopelessAfterMs) {
      this.events.hopeless(`${describe(status)}; the server exits so that it can be restarted`);
    } else if (isBusy && status.stalledMs >= hungAfterMs) {
      if (!this.isHung) this.events.hung(describe(status));
      this.isHung = true;
    } else if (this.isHung) {
      this.isHung = false;
      this.events.recovered();
    } else if (isBusy && this.busyPeriods * periodMs === slowAfterMs) {
      this.events.slow(`slow but working: ${status.state} at token ${status.token}, ${status.queued} more waiting`);
    }
  }
}

function describe({ state, token, layer, op, stalledMs }: EngineStatus): string {
  const seconds = (stalledMs / 1000).toFixed(0);
  return `The engine has made no progress for ${seconds} s: ${state}, token ${token}, layer ${layer}, operation "${op}"`;
}
