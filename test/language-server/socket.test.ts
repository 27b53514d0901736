// Several windows on one server: who may connect, what they share, and who lives how long.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  createProtocolConnection,
  type ProtocolConnection,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-languageserver-protocol/node';
import type { ServerStatus } from '../../language-server/protocol/messages.ts';

const server = join(__dirname, '../../dist/server.js');
const folder = mkdtempSync(join(tmpdir(), 'hearth-socket-'));
const socketPath = join(folder, 's.sock');
const tokenFile = join(folder, 's.token');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(socketPath, { force: true });
  rmSync(tokenFile, { force: true });
});

function start(): ChildProcess {
  const child = fork(server, ['--socket', socketPath, '--token-file', tokenFile], { execArgv: [] });
  children.push(child);
  return child;
}

async function open(token = readFileSync(tokenFile, 'utf8')): Promise<Socket> {
  const socket = connect(socketPath, () => socket.write(`${token}\n`));
  socket.on('error', () => {});
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return socket;
}

interface Window {
  connection: ProtocolConnection;
  statuses: ServerStatus[];
  closed: Promise<unknown>;
}

async function openWindow(): Promise<Window> {
  const socket = await open();
  const connection = createProtocolConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  const statuses: ServerStatus[] = [];
  connection.onNotification('hearth/status', (status: ServerStatus) => void statuses.push(status));
  connection.listen();
  const params = { processId: 1, rootUri: null, capabilities: {}, initializationOptions: {} };
  await connection.sendRequest('initialize', params);
  await connection.sendNotification('initialized', {});
  return { connection, statuses, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

test('clients with the token share one model, and closing one does not affect the others', async () => {
  const child = start();
  await once(child, 'message');
  const first = await openWindow();
  const second = await openWindow();
  await vi.waitFor(() => expect(second.statuses.at(-1)?.health).toBe('ready'), { timeout: 20_000 });
  const loads = first.statuses.filter(
    ({ health }, i) => health === 'loading' && first.statuses[i - 1]?.health !== health,
  );
  expect(loads).toHaveLength(1);
  await first.connection.sendRequest('shutdown');
  await first.connection.sendNotification('exit');
  await first.closed;
  const uri = 'file:///a.ts';
  const textDocument = { uri, languageId: 'typescript', version: 1, text: 'for (let i = 0; i < ' };
  await second.connection.sendNotification('textDocument/didOpen', { textDocument });
  const asked = { textDocument: { uri }, position: { line: 0, character: 20 }, context: { triggerKind: 2 } };
  expect(await second.connection.sendRequest('textDocument/inlineCompletion', asked)).toHaveProperty('reason');
  expect(child.exitCode).toBeNull();
});

test('a wrong token is refused, and the files are for their owner alone', async () => {
  await once(start(), 'message');
  const socket = await open('0'.repeat(64));
  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
  expect([socketPath, tokenFile].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
});

test('of two servers that are started at once, one ends', async () => {
  const both = [start(), start()];
  const [code] = await Promise.race(both.map((child) => once(child, 'exit')));
  expect(code).toBe(0);
  await openWindow();
});

test('the socket of a killed server does not keep the next one from listening', async () => {
  const first = start();
  await once(first, 'message');
  first.kill('SIGKILL');
  await once(first, 'exit');
  await once(start(), 'message');
  await openWindow();
});

test('the server notifies its clients and ends with the window that started it', async () => {
  const child = start();
  await once(child, 'message');
  const window = await openWindow();
  const farewell = new Promise((resolve) => window.connection.onNotification('hearth/farewell', resolve));
  child.disconnect();
  await farewell;
  await window.closed;
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});

test.each(['Content-Length: x', 'Content-Length: -5', 'Length: 3'])(
  'a frame with "%s" ends the server',
  async (header) => {
    const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'ignore', 'pipe'] });
    let words = '';
    child.stderr.on('data', (data) => {
      words += data;
    });
    child.stdin.write(`${header}\r\n\r\n{}`);
    const [code] = await once(child, 'exit');
    expect([code, words]).toEqual([1, expect.stringContaining('broken message')]);
  },
  10_000,
);
