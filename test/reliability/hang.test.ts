// The connection between windows and a real process that is stopped (SIGSTOP) in each of its states, or loses its
// windows.
// test/extension/connection/connection.test.ts tests with its own clock how soon it must be noticed.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import {
  type Cause,
  Connection,
  type ConnectionHost,
  type Limits,
  type Session,
} from '../../extension/connection/connection.ts';
import { ServerLauncher } from '../../extension/connection/server-launcher.ts';
import type { ProcessLink } from '../../extension/connection/server-link.ts';
import { serverProgram } from '../support/shared-process.ts';
import { starterModel } from './real-server.ts';

/** However busy this machine is, only a process that is stopped exceeds them. */
const patient: Limits = {
  startMs: 60_000,
  greetMs: 60_000,
  initializeMs: 60_000,
  silenceMs: 60_000,
  endingSilenceMs: 60_000,
};
const hangMs = 3000;
let folder: string;
let windows: Window[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-hang-'));
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'));
  windows = [];
});
afterEach(async () => {
  const pids = new Set(windows.flatMap(({ pids }) => pids));
  await Promise.all(windows.map(({ connection }) => connection.stop()));
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

class RealSession implements Session {
  readonly health: string[] = [];
  private readonly rpc;
  readonly farewell: Promise<void>;

  constructor(
    readonly link: ProcessLink,
    private readonly beforeInitialize: (pid: number) => void,
  ) {
    this.rpc = createProtocolConnection(new StreamMessageReader(link.reader), new StreamMessageWriter(link.writer));
    this.rpc.onError(() => undefined);
    this.rpc.onClose(() => this.rpc.dispose());
    this.rpc.onNotification('hearth/status', ({ health }: { health: string }) => void this.health.push(health));
    this.farewell = new Promise((resolve) => this.rpc.onNotification('hearth/farewell', () => resolve()));
    this.rpc.listen();
  }

  async initialize(): Promise<void> {
    this.beforeInitialize(this.link.pid ?? 0);
    const initializationOptions = { settings: {}, bundledModel: starterModel, wantsSignsOfLife: true };
    const params = { processId: null, rootUri: null, capabilities: {}, initializationOptions };
    await this.rpc.sendRequest('initialize', params);
    await this.rpc.sendNotification('initialized', {});
  }

  quit(): void {
    this.rpc.sendNotification('hearth/quit').catch(() => undefined);
  }

  async leave(): Promise<void> {
    await this.rpc.sendRequest('shutdown');
    await this.rpc.sendNotification('exit');
  }
}

class Window implements ConnectionHost<ProcessLink, RealSession> {
  readonly connection: Connection<ProcessLink, RealSession>;
  readonly endings: Cause['kind'][] = [];
  readonly pids: number[] = [];
  beforeInitialize = (_: number) => {};
  private readonly server: ServerLauncher;

  /** given: limits that hold until this window has found a server that hangs. */
  constructor(
    module: string,
    given: Partial<Limits> = {},
    private readonly limits = { ...patient, ...given },
  ) {
    this.server = new ServerLauncher({ module, storageFolder: join(folder, 's'), version: '1', onOutput: () => {} });
    this.connection = new Connection<ProcessLink, RealSession>(this, this.limits);
    windows.push(this);
  }

  static async open(given: Partial<Limits> = {}, module = serverProgram): Promise<Window> {
    const window = new Window(module, given);
    await window.connection.start();
    expect(window.connection.state).toBe('up');
    return window;
  }

  get pid(): number {
    return this.connection.session?.link.pid ?? 0;
  }

  find = () => this.server.find();
  start = (signal: AbortSignal) => this.server.start(signal);

  async prepare(): Promise<(link: ProcessLink) => RealSession> {
    return (link) => {
      this.pids.push(link.pid ?? 0);
      return new RealSession(link, (pid) => this.beforeInitialize(pid));
    };
  }

  onState(): void {}

  onEnd({ kind }: Cause): void {
    this.endings.push(kind);
    if (kind === 'hung') Object.assign(this.limits, patient);
  }
}

/** Waits until all windows use one process that is none of the old ones. */
async function replaced(old: number): Promise<void> {
  const isUp = ({ connection, pid }: Window) => connection.state === 'up' && pid !== old;
  await expect.poll(() => [windows.every(isUp), new Set(windows.map(({ pid }) => pid)).size]).toEqual([true, 1]);
  expect(isRunning(old)).toBe(false);
}

test('a server that is stopped while windows use it is replaced in each of them', async () => {
  const { pid } = await Window.open({ silenceMs: 2 * hangMs });
  await Window.open({ silenceMs: 2 * hangMs });
  process.kill(pid, 'SIGSTOP');
  const stoppedAt = performance.now();
  const seconds = () => ((performance.now() - stoppedAt) / 1000).toFixed(1);
  await expect.poll(() => windows.map(({ endings }) => endings)).toEqual([['hung'], ['hung']]);
  const noticed = seconds();
  await replaced(pid);
  const replacedAfter = seconds();
  const isReady = ({ connection }: Window) => connection.session?.health.at(-1) === 'ready';
  await expect.poll(() => windows.every(isReady)).toBe(true);
  console.log(`in both windows: noticed after ${noticed} s, replaced after ${replacedAfter}, ready after ${seconds()}`);
});

test('a server that was stopped before a window connects is replaced', async () => {
  const first = await Window.open();
  const { pid } = first;
  await first.connection.stop();
  windows = [];
  process.kill(pid, 'SIGSTOP');
  const second = await Window.open({ greetMs: hangMs });
  expect(second.endings).toEqual(['hung']);
  await replaced(pid);
});

test('a server that is stopped while it is initialized is replaced', async () => {
  const { pid } = await Window.open();
  const second = new Window(serverProgram, { initializeMs: hangMs });
  second.beforeInitialize = (serverPid) => {
    if (serverPid === pid) process.kill(pid, 'SIGSTOP');
  };
  await second.connection.start();
  await replaced(pid);
});

test('a server that is stopped before it listens is replaced', async () => {
  const program = join(folder, 'server.js');
  const once = JSON.stringify(join(folder, 'once'));
  writeFileSync(
    program,
    `const fs = require('fs');
    if (!fs.existsSync(${once})) { fs.writeFileSync(${once}, String(process.pid)); process.kill(process.pid, 'SIGSTOP'); }
    require(${JSON.stringify(serverProgram)});`,
  );
  const window = await Window.open({ startMs: 4 * hangMs }, program);
  expect(window.endings).toEqual(['hung']);
});

test('a restart replaces a server that is stopped, from whichever window', async () => {
  const first = await Window.open({ endingSilenceMs: hangMs });
  const second = await Window.open({ endingSilenceMs: hangMs });
  for (const { connection } of [second, first]) {
    const { pid } = first;
    process.kill(pid, 'SIGSTOP');
    await connection.restart();
    await replaced(pid);
  }
});

test('a server that is stopped does not outlive its last window', async () => {
  const { pid, connection } = await Window.open({ endingSilenceMs: hangMs });
  process.kill(pid, 'SIGSTOP');
  await connection.stop();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('the model stays when the first window closes, and ends soon after the last', async () => {
  const first = await Window.open();
  const second = await Window.open();
  const { pid } = second;
  await expect.poll(() => second.connection.session?.health.at(-1)).toBe('ready');
  await first.connection.stop();
  const reloaded = await Window.open();
  expect(reloaded.pid).toBe(pid);
  await expect.poll(() => reloaded.connection.session?.health.at(-1)).toBe('ready');
  const { health } = second.connection.session as RealSession;
  expect(health.slice(health.indexOf('ready'))).not.toContain('loading');
  await second.connection.stop();
  await reloaded.connection.stop();
  expect(isRunning(pid)).toBe(true);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('a server that crashes is started again once for three windows', async () => {
  const { pid } = await Window.open();
  await Promise.all([Window.open(), Window.open()]);
  process.kill(pid, 'SIGKILL');
  await replaced(pid);
  expect(windows.map(({ endings }) => endings)).toEqual([['crashed'], ['crashed'], ['crashed']]);
});
