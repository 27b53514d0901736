// Decides whether the team's server or the local model answers. Nobody waits for a server longer than it usually needs,
// and while it fails it is tried again in the background, at growing intervals.
import type { ServerError } from './server-error.ts';

export interface Timeouts {
  /** The limits of the time to the first text, whatever the server usually needs. */
  minMs: number;
  maxMs: number;
  /** The first pause after a failure; each further one is twice as long. */
  pauseMs: number;
  maxPauseMs: number;
}

export const usualTimeouts: Timeouts = { minMs: 1000, maxMs: 2000, pauseMs: 1000, maxPauseMs: 60_000 };
/** A server that needs four times as long as usual has a problem. */
const usualTimes = 4;
const headStartTimes = 2;
const shareOfLatest = 0.2;
/** The limits of the head start, in ms: usually, and after a key without text or a failure. */
const headStarts = { usual: [300, 500], short: [80, 150] } as const;
/** A server that usually needs longer has no text for anybody who types. */
const uselessMs = 500;

export class Availability {
  private failures = 0;
  private retryAt = 0;
  /** The time to the first text, averaged; 0 before the first answer. */
  private usualMs = 0;
  /** How long requests have waited in vain since the last text: also those that the next key has superseded. */
  private waitedMs = 0;

  /**
   * problem: why the local model answers; '' while the server does. onChange: called when the other one takes over, with
   * a sentence for the log.
   */
  constructor(
    public problem: string,
    private readonly onChange: (message: string) => void,
    private readonly timeouts = usualTimeouts,
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  get isUp(): boolean {
    return this.problem === '';
  }

  get isProbeDue(): boolean {
    return !this.isUp && this.now() >= this.retryAt;
  }

  /** How long the next request may wait for its first text, and for each further one. */
  get timeoutMs(): number {
    const { minMs, maxMs } = this.timeouts;
    const usual = this.usualMs === 0 ? maxMs : this.usualMs * usualTimes;
    const limit = Math.min(maxMs, Math.max(minMs, usual));
    return Math.max(limit - this.waitedMs, this.usualMs, minMs / 10);
  }

  /** How long the server may be ahead before the local model is asked, too. */
  get headStartMs(): number {
    const isWell = this.waitedMs === 0 && this.failures === 0 && this.usualMs < uselessMs;
    const [least, most] = isWell ? headStarts.usual : headStarts.short;
    return this.usualMs === 0 && isWell ? most : Math.min(most, Math.max(least, this.usualMs * headStartTimes));
  }

  /** The first text came after so long. */
  heard(ms: number): void {
    this.waitedMs = 0;
    this.usualMs = this.usualMs === 0 ? ms : this.usualMs + (ms - this.usualMs) * shareOfLatest;
  }

  /** A whole answer came. */
  answered(): void {
    this.failures = 0;
  }

  /** A request was superseded after so long without text. */
  abandoned(ms: number): void {
    this.waitedMs += ms;
  }

  failed({ message, retryAfterMs }: ServerError): void {
    const { pauseMs, maxPauseMs } = this.timeouts;
    const pause = Math.min(maxPauseMs, pauseMs * 2 ** this.failures) * (0.5 + this.random());
    const wasUp = this.isUp;
    this.problem = message;
    this.waitedMs = 0;
    this.failures++;
    this.retryAt = Math.max(this.retryAt, this.now() + Math.max(retryAfterMs, pause));
    if (wasUp) this.onChange(`${message} The model on this machine answers until the server can.`);
  }

  /** A probe was answered. The pauses go on growing until a request is, too. */
  recovered(): void {
    this.problem = '';
    this.onChange("The team's server answers.");
  }
}
