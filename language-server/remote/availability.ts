// Decides whether the team's server or the local model answers. No request waits much longer for the server than it
// usually takes. While the server fails, it is tried again in the background, at growing intervals.
import type { ServerError } from './server-error.ts';

export interface Timeouts {
  /** A request waits at least and at most this long for its first text, whatever the usual time of the server. */
  minMs: number;
  maxMs: number;
  /** The pause after the first failure. Each further pause is twice as long. */
  pauseMs: number;
  maxPauseMs: number;
}

export const usualTimeouts: Timeouts = { minMs: 1000, maxMs: 2000, pauseMs: 1000, maxPauseMs: 60_000 };
/** A request waits this many times as long as the server usually takes. A server that takes longer has a problem. */
const timeoutFactor = 4;
/** The local model is asked, too, after this many times the usual time of the server. */
const headStartFactor = 2;
/** The weight of the latest answer in the average. */
const latestWeight = 0.2;
/** The shortest and the longest head start, in ms. `short`: if the last request got no text or failed. */
const headStarts = { usual: [300, 500], short: [80, 150] } as const;
/** A server that usually takes longer has no text in time for anybody who types. */
const uselessMs = 500;

export class Availability {
  private failures = 0;
  private retryAt = 0;
  /** The average time to the first text; 0 before the first answer. */
  private usualMs = 0;
  /** How long requests have waited in vain since the last text, including requests that the next key has superseded. */
  private waitedMs = 0;

  /**
   * problem: why the local model answers; '' while the server answers. onChange: called with a sentence for the log
   * when the server or the local model takes over.
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

  /** How long the next request waits for its first text, and then for each further text. */
  get timeoutMs(): number {
    const { minMs, maxMs } = this.timeouts;
    const usual = this.usualMs === 0 ? maxMs : this.usualMs * timeoutFactor;
    const limit = Math.min(maxMs, Math.max(minMs, usual));
    return Math.max(limit - this.waitedMs, this.usualMs, minMs / 10);
  }

  /** How long the server alone may try before the local model is asked, too. */
  get headStartMs(): number {
    const isWell = this.waitedMs === 0 && this.failures === 0 && this.usualMs < uselessMs;
    const [least, most] = isWell ? headStarts.usual : headStarts.short;
    return this.usualMs === 0 && isWell ? most : Math.min(most, Math.max(least, this.usualMs * headStartFactor));
  }

  /** Call at the first text of an answer. ms: the time since the request. */
  heard(ms: number): void {
    this.waitedMs = 0;
    this.usualMs = this.usualMs === 0 ? ms : this.usualMs + (ms - this.usualMs) * latestWeight;
  }

  /** Call when a whole answer has come. */
  answered(): void {
    this.failures = 0;
  }

  /** Call when a request was superseded before its first text. ms: the time since the request. */
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

  /** Call when a probe was answered. The pauses keep growing until a request is answered, too. */
  recovered(): void {
    this.problem = '';
    this.onChange("The team's server answers.");
  }
}
