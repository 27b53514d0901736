// Keeps this window connected to the language server until the window closes: finds or starts the process, talks to it,
// notices when it ends or hangs, and connects again.
//
//             start()                      greeted, initialized
//     down ─────────────────> starting ──────────────────────────> up
//      ^                       ^    │                               │
//      │             once more │    │ does not start, closes,       │ closes, is silent, says farewell;
//      │ stop(), or            │    │ is silent; stop()             │ restart(), stop()
//      │ too many faults       │    v                               │
//      └──────────────────── ending <───────────────────────────────┘
//
// Each pass of the loop in run() is one life of the connection. A life ends only once, whatever else goes wrong in it. The
// next life begins when the link and the session of the last one are closed.
import { RestartPolicy } from './restart-policy.ts';
import { Timeout, Unresponsive, within } from './timeout.ts';

/** How long to wait for each step of the server. */
export interface Limits {
  /** Until it listens. */
  startMs: number;
  /** Until it has greeted. */
  greetMs: number;
  /** Until it is initialized. */
  initializeMs: number;
  /** Until its next sign of life. It sends one every second, even while it ends. */
  silenceMs: number;
  /** Until its next sign of life while it ends. */
  endingSilenceMs: number;
}

export const defaultLimits: Limits = {
  startMs: 4000,
  greetMs: 3000,
  initializeMs: 4000,
  silenceMs: 3000,
  endingSilenceMs: 3000,
};
/** How long the editor may take to prepare a session: to load the library, the settings and a token. */
const prepareMs = 20_000;
/** How long an ending server may take to write its cache. */
const endingMs = 15_000;
const killMs = 1000;
// If a server is ending, or another window is starting one, looking again a little later helps.
const maxLooks = 20;
const lookAgainMs = 250;

export type State = 'down' | 'starting' | 'up' | 'ending';

/** A link to a server's process. */
export interface Link {
  /** Whether this window has just started the process. */
  readonly isNew: boolean;
  /** Resolves when either side has closed the link. */
  readonly closed: Promise<void>;
  /** Resolves to true when both sides have greeted; to false if the link closes, or if the greeting is wrong. */
  greet(): Promise<boolean>;
  /** Calls the listener whenever something arrives. */
  onData(listener: () => void): void;
  /** Ends the process at once if it still runs. */
  kill(): void;
  close(): void;
  /** Why the process has closed the link: it has ended by itself, or a window has killed it because it hung. */
  fault(): Promise<Fault>;
}

/** The conversation with the server over a link. */
export interface Session {
  /** Resolves when the server says that it is about to end. */
  readonly farewell: Promise<void>;
  initialize(): Promise<void>;
  /** Asks the process to end, for all windows. */
  quit(): void;
  /** Ends this session. The process goes on for other windows. */
  leave(): Promise<void>;
}

/** What went wrong with a server. how: the details, as a part of a sentence. */
export type Fault = { kind: 'crashed' | 'hung' | 'not started'; how: string };
/**
 * Why a life has ended. 'left': this window has closed. 'restarted': this or another window has restarted the server.
 */
export type Cause = { kind: 'left' | 'restarted' } | Fault;

export interface ConnectionHost<L extends Link, S extends Session> {
  /** Connects to the running server; null if there is none. */
  find(): Promise<L | null>;
  /**
   * Starts a server; null if another window has just started one. If the signal is aborted before the server has
   * started, its process is killed.
   */
  start(signal: AbortSignal): Promise<L | null>;
  /** Prepares a session while the server starts. Resolves to a function that makes the session for a link. */
  prepare(policy: RestartPolicy): Promise<(link: L) => S>;
  onState(state: State): void;
  /** Called when a life of the connection has ended. willReconnect: whether the next one begins. */
  onEnd(cause: Cause, willReconnect: boolean): void;
}

export class Connection<L extends Link, S extends Session> {
  state: State = 'down';
  /** The session while the state is 'up' or 'ending'. */
  session: S | null = null;
  policy = new RestartPolicy();
  private link: L | null = null;
  private loop: Promise<void> | null = null;
  private stopOrder = new AbortController();
  private restartOrder = new AbortController();
  /** Functions that resolve the promises returned by start() and restart(). */
  private settling: (() => void)[] = [];

  constructor(
    private readonly host: ConnectionHost<L, S>,
    private readonly limits: Readonly<Limits> = defaultLimits,
  ) {}

  /** Resolves when the state becomes 'up', or 'down' because no further server is started. */
  start(): Promise<void> {
    if (this.loop === null) {
      this.stopOrder = new AbortController();
      this.loop = this.run();
    }
    return new Promise((resolve) => this.settling.push(resolve));
  }

  async stop(): Promise<void> {
    this.stopOrder.abort();
    if (this.state === 'starting') this.link?.close();
    await this.loop;
  }

  /** Ends the process, for all windows, and starts another. A second call meanwhile waits for the same start. */
  restart(): Promise<void> {
    this.policy = new RestartPolicy();
    this.restartOrder.abort();
    return this.start();
  }

  private async run(): Promise<void> {
    for (let willReconnect = true; willReconnect; ) {
      const cause = await this.live();
      if ('how' in cause) willReconnect = this.policy.recordCrash(performance.now(), cause.kind === 'hung');
      else willReconnect = cause.kind === 'restarted';
      willReconnect &&= !this.stopOrder.signal.aborted;
      this.host.onEnd(cause, willReconnect);
    }
    this.loop = null;
    this.enter('down');
  }

  /** Runs one life of the connection. Resolves to the cause of its end. */
  private async live(): Promise<Cause> {
    this.enter('starting');
    const cause = await this.begin().then(
      ({ link, session }) => this.whileUp(link, session),
      (error: unknown) => this.causeOf(error),
    );
    await this.close(cause);
    return cause;
  }

  private async begin(): Promise<{ link: L; session: S }> {
    const prepared = this.host.prepare(this.policy);
    prepared.catch(() => undefined); // it is awaited below
    const link = await this.open();
    const closed = link.closed.then(() => Promise.reject(new Error('the connection was closed')));
    const session = (await this.whenPrepared(prepared, closed))(link);
    await within(this.limits.initializeMs * this.policy.timeoutFactor, Promise.race([session.initialize(), closed]));
    return { link, session };
  }

  /**
   * Waits until the session is prepared. If that takes too long, the editor is to blame, not the server, so the cause
   * is 'not started': with 'hung', the server would be killed, although other windows use it.
   */
  private whenPrepared<T>(prepared: Promise<T>, closed: Promise<never>): Promise<T> {
    return within(prepareMs * this.policy.timeoutFactor, Promise.race([prepared, closed])).catch((error: unknown) => {
      throw error instanceof Unresponsive ? new Error('the editor does not give its settings') : error;
    });
  }

  /** Connects to the running server, or starts one. */
  private async open(): Promise<L> {
    for (let looks = 0; looks < maxLooks; looks++) {
      this.link = (await this.host.find()) ?? (await this.startServer());
      this.stopOrder.signal.throwIfAborted();
      if (this.link && (await within(this.limits.greetMs * this.policy.timeoutFactor, this.link.greet())))
        return this.link;
      this.link?.close();
      this.stopOrder.signal.throwIfAborted();
      if (this.link?.isNew) throw new Error('it closed the connection');
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
    throw new Unresponsive();
  }

  private async startServer(): Promise<L | null> {
    this.stopOrder.signal.throwIfAborted();
    const attempt = new AbortController();
    const signal = AbortSignal.any([attempt.signal, this.stopOrder.signal]);
    const started = this.host.start(signal);
    try {
      return await within(this.limits.startMs * this.policy.timeoutFactor, started);
    } catch (error) {
      started.then((lateLink) => lateLink?.close()).catch(() => undefined);
      throw error;
    } finally {
      attempt.abort();
    }
  }

  private async whileUp(link: L, session: S): Promise<Cause> {
    this.session = session;
    if (link.isNew) this.restartOrder = new AbortController();
    this.enter('up');
    const timeout = new Timeout(this.limits.silenceMs * this.policy.timeoutFactor);
    link.onData(() => timeout.restart());
    const cause = await new Promise<Cause | null>((resolve) => {
      void timeout.over.then(() => resolve(this.causeOf(new Unresponsive())));
      void link.closed.then(() => resolve(null));
      void session.farewell.then(() => resolve({ kind: 'restarted' }));
      whenAborted(this.restartOrder.signal, () => resolve({ kind: 'restarted' }));
      whenAborted(this.stopOrder.signal, () => resolve({ kind: 'left' }));
    });
    timeout.end();
    return cause ?? link.fault();
  }

  private causeOf(error: unknown): Cause {
    if (this.stopOrder.signal.aborted) return { kind: 'left' };
    if (error instanceof Unresponsive) return { kind: 'hung', how: error.message };
    return { kind: 'not started', how: error instanceof Error ? error.message : String(error) };
  }

  /** Closes this life's link and session. The server itself ends only if it is asked to end, or if it hangs. */
  private async close({ kind }: Cause): Promise<void> {
    const { link, session } = this;
    const isOrdered = this.restartOrder.signal.aborted;
    this.restartOrder = new AbortController();
    this.enter('ending');
    if (link === null) return;
    if (kind === 'left' && session) await this.waitOrKill(link, session.leave());
    if (kind === 'restarted') {
      if (isOrdered) session?.quit();
      await this.waitOrKill(link, link.closed);
    }
    if (kind === 'hung' || (kind === 'not started' && isOrdered)) await this.kill(link);
    link.close();
    await link.closed;
    this.link = null;
    this.session = null;
  }

  /** Waits for the work. Kills the server if it falls silent meanwhile, or if the work takes longer than endingMs. */
  private async waitOrKill(link: L, work: Promise<void>): Promise<void> {
    const timeout = new Timeout(this.limits.endingSilenceMs);
    link.onData(() => timeout.restart());
    const isSilent = timeout.over.then(() => false);
    const isDone = within(endingMs, work).then(
      () => true,
      (error: unknown) => !(error instanceof Unresponsive),
    );
    if (!(await Promise.race([isDone, isSilent]))) await this.kill(link);
    timeout.end();
  }

  private async kill(link: L): Promise<void> {
    link.kill();
    await within(killMs, link.closed).catch(() => undefined);
  }

  private enter(state: State): void {
    this.state = state;
    this.host.onState(state);
    const isSettled = state === 'down' || (state === 'up' && !this.restartOrder.signal.aborted);
    if (isSettled) for (const resolve of this.settling.splice(0)) resolve();
  }
}

function whenAborted(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
}
