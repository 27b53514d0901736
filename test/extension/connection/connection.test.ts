// The connection between windows and their shared server, with fake processes and a fake clock.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeProcess, type FakeWindow, FakeWorld, type Step } from './fake-servers.ts';

let world: FakeWorld;

beforeEach(() => {
  vi.useFakeTimers();
  world = new FakeWorld();
});
afterEach(() => {
  expect(world.started.filter(({ isAlive }) => isAlive).length, 'servers left').toBeLessThanOrEqual(1);
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

async function openWindow(): Promise<FakeWindow> {
  const window = world.window();
  void window.connection.start();
  await pass(0);
  return window;
}

test('the first window starts a server, and the second one finds it', async () => {
  const first = await openWindow();
  const second = await openWindow();
  expect(first.states).toEqual(['starting', 'up']);
  expect(second.states).toEqual(['starting', 'up']);
  expect(second.process).toBe(first.process);
  expect(world.started).toHaveLength(1);
});

test('windows that start a server at once share one', async () => {
  const windows = [world.window(), world.window(), world.window()];
  for (const { connection } of windows) void connection.start();
  await pass(1000);
  expect(new Set(windows.map(({ process }) => process))).toEqual(new Set([world.running]));
});

test('a window that closes says goodbye, and the server stays for the others', async () => {
  const first = await openWindow();
  const second = await openWindow();
  await first.connection.stop();
  expect(first).toMatchObject({ hasLeft: true, states: ['starting', 'up', 'ending', 'down'], endings: ['left'] });
  expect(second.states).toEqual(['starting', 'up']);
  expect(world.running?.links.size).toBe(1);
});

test('a window that closes while it looks for a server starts none', async () => {
  const { connection } = world.window();
  void connection.start();
  await connection.stop();
  expect(world.started).toHaveLength(0);
});

test('a window whose session is never ready gives up, and the other windows keep the server', async () => {
  const other = await openWindow();
  const window = world.window();
  window.prepared = new Promise(() => {});
  void window.connection.start();
  await pass(60_000);
  expect(window.endings).toEqual(['not started', 'not started', 'gave up']);
  expect(window.states.at(-1)).toBe('down');
  expect(other.states).toEqual(['starting', 'up']);
  expect(world.running?.links.size).toBe(1);
});

test('a window can close while its session is being prepared', async () => {
  const window = world.window();
  window.prepared = new Promise(() => {});
  void window.connection.start();
  await pass(0);
  const stopped = window.connection.stop();
  await pass(0);
  await stopped;
  expect(window.endings).toEqual(['left']);
});

test('a reloaded window finds the server that it used before', async () => {
  const before = await openWindow();
  const { process } = before;
  await before.connection.stop();
  const after = await openWindow();
  expect(after.process).toBe(process);
});

test('a server that crashes is started again, once for all windows', async () => {
  const windows = [await openWindow(), await openWindow()];
  world.running?.end();
  await pass(1000);
  for (const { states, endings } of windows) {
    expect(states).toEqual(['starting', 'up', 'ending', 'starting', 'up']);
    expect(endings).toEqual(['crashed']);
  }
  expect(windows[1]?.process).toBe(windows[0]?.process);
  expect(world.running?.links.size).toBe(2);
});

test.each<[Step, string]>([
  ['start', 'not started'],
  ['greet', 'not started'],
  ['initialize', 'not started'],
  ['up', 'crashed'],
])('a server that ends at "%s" is started a second time, and ended once', async (endsAt, ending) => {
  world.next.push({ endsAt });
  const window = await openWindow();
  await pass(1000);
  expect(window.connection.state).toBe('up');
  expect(window.endings).toEqual([ending]);
  expect(world.started).toHaveLength(2);
  expect(world.running?.links.size, 'links to it').toBe(1);
});

test('a server that closes the connection instead of greeting does not count as crashed: it was ending', async () => {
  world.running = new FakeProcess(world, 'never', 'greet');
  const window = await openWindow();
  await pass(1000);
  expect(window.states).toEqual(['starting', 'up']);
  expect(window.endings).toEqual([]);
});

test.each<Step>(['start', 'greet', 'initialize', 'up'])(
  'a server that always ends at "%s" is given up',
  async (endsAt) => {
    world.next.push(...Array.from({ length: 9 }, () => ({ endsAt })));
    const window = await openWindow();
    await pass(10_000);
    expect(window.connection.state).toBe('down');
    expect(window.endings.at(-1)).toBe('gave up');
    expect(world.started).toHaveLength(2);
  },
);

test.each<Step>(['start', 'greet', 'initialize', 'up'])(
  'a server that hangs at "%s" is killed and replaced within five seconds',
  async (hangsAt) => {
    world.next.push({ hangsAt });
    const window = await openWindow();
    await pass(5000);
    expect(window.connection.state).toBe('up');
    expect(window.endings).toEqual(['hung']);
    expect(world.started.map(({ isAlive }) => isAlive)).toEqual([false, true]);
  },
);

test('every window notices a server that hangs, and they share the next one', async () => {
  const windows = [await openWindow(), await openWindow(), await openWindow()];
  await pass(60_000);
  const [hung] = world.started;
  if (hung) hung.isStopped = true;
  await pass(3500);
  for (const { endings } of windows) expect(endings).toEqual(['hung']);
  await pass(1500);
  for (const { connection, endings } of windows) {
    expect(connection.state).toBe('up');
    expect(endings).toHaveLength(1);
  }
  expect(hung?.isKilled).toBe(true);
  expect(world.started).toHaveLength(2);
  expect(world.running?.links.size).toBe(3);
});

test('a new window replaces a hung server that no other window has noticed', async () => {
  const first = await openWindow();
  await first.connection.stop();
  const [hung] = world.started;
  if (hung) hung.isStopped = true;
  const second = await openWindow();
  await pass(5000);
  expect(second.connection.state).toBe('up');
  expect(second.process).not.toBe(hung);
  expect(hung?.isAlive).toBe(false);
});

test('a server that gives signs of life is left alone', async () => {
  const window = await openWindow();
  await pass(3_600_000);
  expect(window.states).toEqual(['starting', 'up']);
});

test('after a server has hung, the next one gets more time', async () => {
  world.next.push({ hangsAt: 'up' }, { hangsAt: 'up' });
  const window = await openWindow();
  await pass(3500);
  expect(window.endings).toEqual(['hung']);
  await pass(5000);
  expect(window.endings).toEqual(['hung']);
  await pass(3000);
  expect(window.endings).toEqual(['hung', 'hung', 'gave up']);
});

test('a restart ends the server of all windows, and they share the next one', async () => {
  const windows = [await openWindow(), await openWindow()];
  const [before] = world.started;
  const [first, second] = windows;
  const restarted = first?.connection.restart();
  await pass(1000);
  await restarted;
  expect(before).toMatchObject({ isAlive: false, isKilled: false });
  for (const { connection, endings, process } of [first, second] as FakeWindow[]) {
    expect(connection.state).toBe('up');
    expect(endings).toEqual(['restarted']);
    expect(process).toBe(world.running);
  }
  expect(world.started).toHaveLength(2);
});

test('a server that does not obey a restart is killed', async () => {
  world.next.push({ hangsAt: 'quit' });
  const window = await openWindow();
  void window.connection.restart();
  await pass(5000);
  expect(window.connection.state).toBe('up');
  expect(world.started.map(({ isKilled }) => isKilled)).toEqual([true, false]);
});

test('if two windows restart the server at once, they share one new server', async () => {
  const windows = [await openWindow(), await openWindow()];
  const restarts = windows.map(({ connection }) => connection.restart());
  await pass(5000);
  await Promise.all(restarts);
  expect(windows.map(({ connection }) => connection.state)).toEqual(['up', 'up']);
  expect(world.running?.links.size).toBe(2);
});

test('a restart during the start of the server waits until the server has started', async () => {
  const other = await openWindow();
  const [before] = world.started;
  const window = world.window();
  void window.connection.start();
  void window.connection.restart();
  await pass(5000);
  expect(before?.isAlive).toBe(false);
  expect(window.connection.state).toBe('up');
  expect(window.process).toBe(other.process);
});

test('a restart while this window is starting the server does not start a second one', async () => {
  const window = world.window();
  void window.connection.start();
  await Promise.all([window.connection.restart(), pass(1000)]);
  expect(window.connection.state).toBe('up');
  expect(world.started).toHaveLength(1);
});

test('after the window has given up, a restart tries again', async () => {
  world.next.push({ endsAt: 'start' }, { endsAt: 'start' });
  const window = await openWindow();
  await pass(1000);
  expect(window.connection.state).toBe('down');
  await Promise.all([window.connection.restart(), pass(1000)]);
  expect(window.connection.state).toBe('up');
});

test('restart() also resolves when no new server can be started', async () => {
  const window = await openWindow();
  world.next.push({ endsAt: 'start' }, { endsAt: 'start' });
  await Promise.all([window.connection.restart(), pass(1000)]);
  expect(window.connection.state).toBe('down');
});

test.each<Step>(['start', 'greet', 'initialize'])(
  'a window that closes while the server hangs at "%s" closes at once and leaves no process',
  async (hangsAt) => {
    world.next.push({ hangsAt });
    const window = await openWindow();
    expect(window.connection.state).toBe('starting');
    await window.connection.stop();
    expect(window).toMatchObject({ states: ['starting', 'ending', 'down'], endings: ['left'] });
    if (hangsAt === 'start') expect(world.started[0]?.isAlive).toBe(false);
  },
);

test('a window that closes kills a server that does not answer', async () => {
  world.next.push({ hangsAt: 'leave' });
  const window = await openWindow();
  await Promise.all([window.connection.stop(), pass(4000)]);
  expect(window.connection.state).toBe('down');
  expect(world.started[0]?.isKilled).toBe(true);
});

test('a window that has given up closes at once', async () => {
  world.next.push({ endsAt: 'start' }, { endsAt: 'start' });
  const window = await openWindow();
  await pass(1000);
  await window.connection.stop();
  expect(window.connection.state).toBe('down');
});
