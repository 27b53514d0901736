// The socket that the windows of a user share: who may connect, what they share, and how long the process lives.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createProtocolConnection,
  type ProtocolConnection,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { Endpoint } from '../../../language-server/protocol/endpoint.ts';
import { SharedSocket } from '../../../language-server/server/socket.ts';
import {
  announcementAt,
  openSocket,
  type SharedProcess,
  serverProgram,
  startShared,
} from '../../support/shared-process.ts';

let folder: string;
let processes: SharedProcess[] = [];
let sockets: SharedSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-socket-'));
});
afterEach(() => {
  for (const { child } of processes) child.kill('SIGKILL');
  for (const socket of sockets) socket.close();
  processes = [];
  sockets = [];
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

function start(): SharedProcess {
  const started = startShared(folder);
  processes.push(started);
  return started;
}

/** A socket in this process with a clock that the test sets. */
async function openShared() {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: [...toFake] });
  const endpoint = new Endpoint(join(folder, 'own'), 'test');
  const events = { onWindow: vi.fn<(socket: Socket) => void>(), onDeserted: vi.fn(), onDisplaced: vi.fn() };
  const socket = new SharedSocket({ endpoint, logFile: join(folder, 'log'), ...events });
  sockets.push(socket);
  expect(await socket.open(endpoint.prepare())).toBe(true);
  return { endpoint, socket, events };
}

interface Window {
  connection: ProtocolConnection;
  closed: Promise<unknown>;
}

async function openWindow({ endpoint }: SharedProcess, options: object = {}): Promise<Window> {
  const socket = await openSocket(endpoint);
  const connection = createProtocolConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  connection.listen();
  const initializationOptions = { bundledModel: '/none', ...options };
  const params = { processId: 1, rootUri: null, capabilities: {}, initializationOptions };
  await connection.sendRequest('initialize', params);
  await connection.sendNotification('initialized', {});
  return { connection, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

test('windows share one process, which outlives the window that started it', async () => {
  const shared = start();
  await once(shared.child, 'message');
  const first = await openWindow(shared);
  const second = await openWindow(shared);
  shared.child.disconnect();
  await first.connection.sendRequest('shutdown');
  await first.connection.sendNotification('exit');
  await first.closed;
  const uri = 'file:///a.ts';
  const textDocument = { uri, languageId: 'typescript', version: 1, text: 'for (let i = 0; i < ' };
  await second.connection.sendNotification('textDocument/didOpen', { textDocument });
  const asked = { textDocument: { uri }, position: { line: 0, character: 20 }, context: { triggerKind: 2 } };
  expect(await second.connection.sendRequest('textDocument/inlineCompletion', asked)).toMatchObject({
    reason: 'no-model',
  });
  expect(shared.child.exitCode).toBeNull();
});

test('a client that does not know the secret word is refused', async () => {
  const { endpoint, events } = await openShared();
  const socket = await openSocket(endpoint, '0'.repeat(64));
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(events.onWindow).not.toHaveBeenCalled();
});

test('the process lives until the last window has been gone for eight seconds', async () => {
  const { endpoint, events } = await openShared();
  const first = await openSocket(endpoint);
  const second = await openSocket(endpoint);
  vi.advanceTimersByTime(3_600_000);
  const [firstSocket, secondSocket] = events.onWindow.mock.calls.map(([socket]) => socket);
  first.destroy();
  await once(firstSocket as Socket, 'close');
  vi.advanceTimersByTime(3_600_000);
  second.destroy();
  await once(secondSocket as Socket, 'close');
  vi.advanceTimersByTime(7000);
  expect(events.onDeserted).not.toHaveBeenCalled();
  vi.advanceTimersByTime(3000);
  expect(events.onDeserted).toHaveBeenCalledOnce();
});

test('a window that is reloaded comes back in time', async () => {
  const { endpoint, events } = await openShared();
  const first = await openSocket(endpoint);
  first.destroy();
  await once(events.onWindow.mock.calls[0]?.[0] as Socket, 'close');
  vi.advanceTimersByTime(7000);
  await openSocket(endpoint);
  vi.advanceTimersByTime(3_600_000);
  expect(events.onDeserted).not.toHaveBeenCalled();
});

test('a process also ends if no window ever connects', async () => {
  const { events } = await openShared();
  vi.advanceTimersByTime(8000);
  expect(events.onDeserted).toHaveBeenCalledOnce();
});

test.each<[string, (id: string) => string]>([
  ['the announcement', (id) => `own/test/${id}.json`],
  ['the socket', (id) => `own/test/${id}.sock`],
  ['the folder', () => 'own/test'],
  ['the outer folder', () => 'own'],
])('new windows find the process again after %s was deleted', async (_, path) => {
  const { endpoint, events } = await openShared();
  const before = await openSocket(endpoint);
  rmSync(join(folder, path(announcementAt(endpoint).id)), { recursive: true });
  vi.advanceTimersByTime(3000);
  await expect.poll(() => endpoint.announced()).not.toBeNull();
  await openSocket(endpoint);
  expect(events.onWindow).toHaveBeenCalledTimes(2);
  expect(before.destroyed).toBe(false);
  vi.advanceTimersByTime(10_000);
  expect(events.onDisplaced).not.toHaveBeenCalled();
});

test('a process that cannot announce itself leaves no files', async () => {
  const { endpoint } = await openShared();
  rmSync(join(folder, 'own'), { recursive: true });
  const complaints = vi.spyOn(console, 'error').mockReturnValue();
  const announce = vi.spyOn(endpoint, 'announce').mockRejectedValue(new Error('the disk is full'));
  for (let attempt = 1; attempt <= 3; attempt++) {
    vi.advanceTimersByTime(3000);
    await expect.poll(() => announce).toHaveBeenCalledTimes(attempt);
    await expect.poll(() => readdirSync(join(folder, 'own'))).toEqual([]);
  }
  expect(complaints).toHaveBeenCalledOnce();
  complaints.mockRestore();
});

test('a process whose place was taken by another says so, and leaves the other process alone', async () => {
  const { endpoint, events } = await openShared();
  rmSync(join(folder, 'own'), { recursive: true });
  await openShared();
  const other = announcementAt(endpoint);
  vi.advanceTimersByTime(3000);
  await expect.poll(() => events.onDisplaced).toHaveBeenCalledOnce();
  expect(announcementAt(endpoint)).toEqual(other);
});

test('if two processes start at once, one of them ends', async () => {
  const both = [start(), start()];
  const [code] = await Promise.race(both.map(({ child }) => once(child, 'exit')));
  expect(code).toBe(0);
  const [shared] = both;
  if (shared) await openWindow(shared);
});

test('the files of a killed process do not hide the next one', async () => {
  const first = start();
  await once(first.child, 'message');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const second = start();
  await once(second.child, 'message');
  await openWindow(second);
  expect(announcementAt(second.endpoint).pid).toBe(second.child.pid);
});

test.each<[string, (window: Window, shared: SharedProcess) => void]>([
  ['a window asks for it', ({ connection }) => void connection.sendNotification('hearth/quit')],
  ['the system is shut down', (_, { child }) => void child.kill('SIGTERM')],
])('the process says goodbye and leaves no file when %s', async (_, end) => {
  const shared = start();
  await once(shared.child, 'message');
  const window = await openWindow(shared);
  const farewell = new Promise((resolve) => window.connection.onNotification('hearth/farewell', resolve));
  end(window, shared);
  await farewell;
  await window.closed;
  if (shared.child.exitCode === null) await once(shared.child, 'exit');
  expect(shared.child.exitCode).toBe(0);
  expect(existsSync(join(folder, 'hearth/test'))).toBe(false);
});

test("the file with the process's standard error stays small", async () => {
  const path = join(folder, 'stderr');
  const file = openSync(path, 'a');
  writeSync(file, 'x'.repeat(100_000));
  processes.push(startShared(folder, file));
  closeSync(file);
  await expect.poll(() => statSync(path).size).toBe(0);
});

test('only a window that asks for signs of life gets them', async () => {
  const shared = start();
  await once(shared.child, 'message');
  const count = async (options: object) => {
    const { connection } = await openWindow(shared, options);
    const heard = vi.fn();
    connection.onNotification('hearth/alive', heard);
    return heard;
  };
  const silent = await count({});
  const wanted = await count({ wantsSignsOfLife: true });
  await expect.poll(() => wanted.mock.calls.length).toBeGreaterThan(1);
  expect(silent).not.toHaveBeenCalled();
});

test.each<[string, (prepared: string) => void, string]>([
  ['on a full disk', () => {}, "trap '' XFSZ; ulimit -f 0;"],
  ['without its folder', (prepared) => rmSync(prepared, { recursive: true }), ''],
  ['at a path too long for a socket', () => {}, ''],
])('a process %s ends rather than run where nobody can find it', async (what, spoil, limits) => {
  const base = what.includes('too long') ? join(folder, 'x'.repeat(100)) : folder;
  const endpoint = new Endpoint(join(base, 'hearth'), 'test');
  const prepared = endpoint.preparedFolder(endpoint.prepare());
  spoil(prepared);
  const args = [serverProgram, '--endpoint', prepared, '--log', join(folder, 'log')];
  const child = spawn('bash', ['-c', `${limits} exec "$0" "$@"`, process.execPath, ...args], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  expect(code).not.toBe(0);
  expect(endpoint.announced()).toBeNull();
});

test.each(['Content-Length: x', 'Content-Length: -5', 'Length: 3'])(
  'a frame with "%s" ends the server',
  async (header) => {
    const child = spawn(process.execPath, [serverProgram, '--stdio'], { stdio: ['pipe', 'ignore', 'pipe'] });
    let words = '';
    child.stderr.on('data', (data) => {
      words += data;
    });
    child.stdin.write(`${header}\r\n\r\n{}`);
    const [code] = await once(child, 'exit');
    expect([code, words]).toEqual([1, expect.stringContaining('broken message')]);
  },
);
