// Fake processes, links and sessions for connection.ts. They do at once what the test says.
import type { Cause, ConnectionHost, Fault, Link, Session, State } from '../../../extension/connection/connection.ts';
import { Connection } from '../../../extension/connection/connection.ts';

/** The step at which a server hangs or ends. */
export type Step = 'start' | 'greet' | 'initialize' | 'up' | 'quit' | 'leave' | 'never';

const signOfLifeMs = 1000;

/** One server process, with its links to all windows. */
export class FakeProcess {
  isAlive = true;
  /** Stops the process as SIGSTOP would: it stays and does nothing. */
  isStopped = false;
  isKilled = false;
  readonly links = new Set<FakeLink>();

  constructor(
    private readonly world: FakeWorld,
    readonly hangsAt: Step = 'never',
    readonly endsAt: Step = 'never',
  ) {}

  end(): void {
    this.isAlive = false;
    if (this.world.running === this) this.world.running = null;
    for (const link of this.links) link.close();
  }

  hasReached(step: Step): boolean {
    if (step === this.endsAt) this.end();
    if (step === this.hangsAt) this.isStopped = true;
    return this.isAlive && !this.isStopped;
  }
}

/** The servers that all windows of a test share. */
export class FakeWorld {
  running: FakeProcess | null = null;
  /** All started processes, except those that ended because another one serves already. */
  readonly started: FakeProcess[] = [];
  /** The faults of the next processes. Later processes have no faults. */
  readonly next: { hangsAt?: Step; endsAt?: Step }[] = [];

  window(): FakeWindow {
    return new FakeWindow(this);
  }
}

export class FakeLink implements Link {
  readonly closed: Promise<void>;
  isClosed = false;
  readonly close: () => void;
  private readonly listeners: (() => void)[] = [];
  private readonly timer = setInterval(() => {
    if (!this.process.isStopped) for (const listener of this.listeners) listener();
  }, signOfLifeMs);

  constructor(
    readonly process: FakeProcess,
    readonly isNew: boolean,
  ) {
    let resolve = () => {};
    this.closed = new Promise((done) => {
      resolve = done;
    });
    this.close = () => {
      this.isClosed = true;
      process.links.delete(this);
      clearInterval(this.timer);
      resolve();
    };
    process.links.add(this);
  }

  greet(): Promise<boolean> {
    const closed = this.closed.then(() => false);
    return this.process.hasReached('greet') ? Promise.resolve(true) : closed;
  }

  onData(listener: () => void): void {
    this.listeners.push(listener);
  }

  kill(): void {
    this.process.isKilled = true;
    this.process.end();
  }

  fault(): Promise<Fault> {
    const { isKilled } = this.process;
    return Promise.resolve({ kind: isKilled ? 'hung' : 'crashed', how: 'signal SIGKILL' });
  }
}

export class FakeSession implements Session {
  sayFarewell = () => {};
  readonly farewell = new Promise<void>((resolve) => {
    this.sayFarewell = resolve;
  });

  constructor(
    readonly link: FakeLink,
    private readonly window: FakeWindow,
  ) {}

  async initialize(): Promise<void> {
    const { process } = this.link;
    if (!process.hasReached('initialize')) {
      await this.link.closed;
      throw new Error('the connection was disposed');
    }
    queueMicrotask(() => process.hasReached('up'));
  }

  /** The process says goodbye to all its windows and ends a moment later. */
  quit(): void {
    const { process } = this.link;
    if (!process.hasReached('quit')) return;
    if (this.window.world.running === process) this.window.world.running = null;
    for (const session of FakeSession.of(process)) session.sayFarewell();
    setTimeout(() => process.end(), 100);
  }

  async leave(): Promise<void> {
    if (!this.link.process.hasReached('leave')) await this.link.closed;
    this.window.hasLeft = true;
  }

  static readonly all: FakeSession[] = [];
  static of(process: FakeProcess): FakeSession[] {
    return FakeSession.all.filter(({ link }) => link.process === process && !link.isClosed);
  }
}

export class FakeWindow implements ConnectionHost<FakeLink, FakeSession> {
  readonly connection: Connection<FakeLink, FakeSession> = new Connection<FakeLink, FakeSession>(this);
  readonly states: State[] = [];
  readonly endings: (Cause['kind'] | 'gave up')[] = [];
  hasLeft = false;
  /** Resolves when the session is prepared. */
  prepared: Promise<void> = Promise.resolve();

  constructor(readonly world: FakeWorld) {}

  /** The process at the other end of this window's link. */
  get process(): FakeProcess | undefined {
    return this.connection.session?.link.process;
  }

  async find(): Promise<FakeLink | null> {
    return this.world.running && new FakeLink(this.world.running, false);
  }

  async start(signal: AbortSignal): Promise<FakeLink | null> {
    const { hangsAt, endsAt } = this.world.next.shift() ?? {};
    const process = new FakeProcess(this.world, hangsAt, endsAt);
    this.world.started.push(process);
    signal.addEventListener('abort', () => {
      if (process.isStopped) process.end();
    });
    if (!process.hasReached('start')) {
      if (process.isAlive) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('exit code 3');
    }
    if (this.world.running) {
      // Another window's process serves already, so this one ends by itself.
      this.world.started.splice(this.world.started.indexOf(process), 1);
      return null;
    }
    this.world.running = process;
    return new FakeLink(process, true);
  }

  async prepare(): Promise<(link: FakeLink) => FakeSession> {
    await this.prepared;
    return (link) => {
      const session = new FakeSession(link, this);
      FakeSession.all.push(session);
      return session;
    };
  }

  onState(state: State): void {
    this.states.push(state);
  }

  onEnd(cause: Cause, willReconnect: boolean): void {
    this.endings.push(cause.kind);
    if ('how' in cause && !willReconnect) this.endings.push('gave up');
  }
}
