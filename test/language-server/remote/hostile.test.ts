// A server, a proxy or a command for the token that is hostile: each ends in an error in time, at a small cost.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CompletionsApi } from '../../../language-server/remote/completions-api.ts';
import { Connection, type ServerOptions } from '../../../language-server/remote/team-connection.ts';
import { CompletionServer, refuse } from '../../support/completion-server.ts';

const patienceMs = 400;
/** The time for events that come by themselves, even on a busy machine. */
const longMs = 120_000;
const connections: Connection[] = [];
const closers: (() => void)[] = [];

beforeEach(() => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS']) vi.stubEnv(name, '');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const each of connections.splice(0)) each.close();
  for (const close of closers.splice(0)) close();
});

/** A server that gets the first bytes of each connection and then does what the test says. */
async function raw(behave: (socket: Socket, asked: string) => void, host = '127.0.0.1'): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', (bytes) => behave(socket, bytes.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends the text again and again, with a pause or as fast as it is read. */
function endlessly(socket: Socket, text: string, ms: number): void {
  const more = (): void => {
    if (socket.destroyed) return;
    if (ms > 0) setTimeout(more, ms);
    if (ms > 0) return void socket.write(text);
    while (!socket.destroyed && socket.write(text));
    socket.once('drain', more);
  };
  more();
}

/** Sends the first text, and then the other one endlessly. */
const first =
  (text: string, then: string, ms: number) =>
  (socket: Socket): void => {
    socket.write(text);
    endlessly(socket, then, ms);
  };

const body = { prompt: 'a', temperature: 0 };
const never = new AbortController().signal;

function apiOf(options: Partial<ServerOptions>): CompletionsApi {
  const connection = new Connection({ url: '', model: '', credential: '', ...options });
  connections.push(connection);
  return new CompletionsApi(connection, 'coder');
}

/** The result of a completion: its text, or the reason why there is none. */
async function complete(options: Partial<ServerOptions>, ms = longMs, signal = never): Promise<string> {
  try {
    let text = '';
    for await (const piece of apiOf(options).stream({ ...body, max_tokens: 8 }, ms, signal)) text += piece.text;
    return text;
  } catch (error) {
    return (error as Error).message;
  }
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
const event = 'data: {"choices":[{"text":"a","finish_reason":"stop"}]}\n\n';
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const slow = /has not answered for 0\.4 s/;
test.each<[string, (socket: Socket) => void, RegExp]>([
  ['sends its headers a letter at a time', first('HTTP/1.1 200 ', 'O', 20), slow],
  ['sends headers without end, slowly', first(head, 'x-a: b\r\n', 20), slow],
  ['sends headers without end, fast', first(head, `x-a: ${'b'.repeat(4000)}\r\n`, 0), /Header overflow/],
  [
    'sends interim responses (100 Continue) without end',
    (socket) => endlessly(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), 1),
    slow,
  ],
  ['sends white space without end', first(`${head}\r\n`, ' '.repeat(65_536), 0), /does not end/],
  ['sends white space without end, slowly', first(`${head}\r\n`, ' \n', 20), slow],
  ['sends empty texts without end', first(`${head}\r\n`, 'data: {"choices":[{"text":""}]}\n\n', 20), slow],
  ['begins a chunk that does not end', first(`${head}transfer-encoding: chunked\r\n\r\nffffffff\r\n`, ' ', 20), slow],
  [
    'sends chunk extensions without end',
    first(`${head}transfer-encoding: chunked\r\n\r\n5;`, 'a'.repeat(4000), 0),
    /extensions|overflow|has closed the connection/i,
  ],
  [
    'sends trailers without end after its text',
    (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n${chunk(event)}${chunk('data: [DONE]\n\n')}0\r\n`);
      endlessly(socket, 'x: y\r\n', 1);
    },
    /^a$/,
  ],
  [
    'states two lengths',
    (socket) => socket.end(`${head}content-length: 5\r\ncontent-length: 60\r\n\r\n${event}`),
    /Parse Error/,
  ],
  ['answers in another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /Parse Error|Expected HTTP/],
  [
    'switches protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /has closed the connection/,
  ],
])('a server that %s is given up in time', async (_, behave, message) => {
  const url = `http://127.0.0.1:${await raw(behave)}`;
  expect(await complete({ url }, message === slow ? patienceMs : longMs)).toMatch(message);
});

const token = 'data: {"choices":[{"text":"a"}]}\n\n';

test('the error for a server that stops within its answer says that the answer had begun', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const port = await raw((socket) => socket.write(`${head}\r\n${token}`));
  const api = apiOf({ url: `http://127.0.0.1:${port}` });
  const read = async () => {
    for await (const _ of api.stream({ ...body, max_tokens: 8 }, patienceMs, never)) vi.advanceTimersByTime(2000);
  };
  const message = `127.0.0.1:${port} has begun an answer, but has written nothing for 2.0 s.`;
  await expect(read()).rejects.toThrow(message);
});

test('a server that writes one token per second is given up after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const api = apiOf({ url: `http://127.0.0.1:${await raw(first(`${head}\r\n${token}`, token, 1000))}` });
  let seconds = 0;
  const read = async () => {
    for await (const _ of api.stream({ ...body, max_tokens: 100 }, patienceMs, never)) {
      await vi.advanceTimersByTimeAsync(1000);
      seconds++;
    }
  };
  await expect(read()).rejects.toThrow(/has not ended its answer after 60\.0 s\.$/);
  expect(seconds).toBe(60);
});

test('a compressed answer, which was not requested, is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
  const port = await raw((socket) =>
    socket.end(Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), bomb])),
  );
  expect(await complete({ url: `http://127.0.0.1:${port}` })).toMatch(/broke off/);
});

const node = (code: string) => `!"${process.execPath}" -e "${code}"`;

test.each([
  ['prints megabytes', node("process.stdout.write('x'.repeat(5e6))"), /failed: it printed too much for a token\.$/],
  ['asks on its input', node("process.stdin.resume().on('end', () => process.exit(4))"), /failed: exit code 4\.$/],
  ['hangs', node('setTimeout(() => {}, 60_000)'), /^The token is not there yet: its file or command has not ended\.$/],
  ['is ended', node('process.kill(process.pid)'), /failed: a signal ended it\.$/],
])('a command for the token that %s ends in an error in time', async (_, credential, message) => {
  const server = await CompletionServer.start();
  const ms = message.source.includes('not there yet') ? patienceMs : longMs;
  expect(await complete({ url: server.url, credential }, ms)).toMatch(message);
  expect(server.asked).toEqual([]);
  await server.close();
});

test.skipIf(process.platform === 'win32')('an endless token file is an error', async () => {
  expect(await complete({ url: 'http://127.0.0.1:9', credential: '@/dev/zero' })).toMatch(/is too long for one\.$/);
});

const proxied = (port: number, ms: number, signal = never) =>
  complete(
    { url: 'https://llm.example.com', credential: 'secret-token', network: { proxy: `http://127.0.0.1:${port}` } },
    ms,
    signal,
  );

test.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'wants to know who asks',
    (socket) => socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'),
    /the proxy requires a sign-in \(407\)\.$/,
  ],
  [
    'shows a page',
    (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n<html>'),
    /does not speak https|has closed the connection/,
  ],
  ['never answers', () => {}, slow],
  ['closes the connection', (socket) => socket.end(), /./],
  ['does not speak HTTP', (socket) => socket.end('SSH-2.0\r\n\r\n'), /./],
  ['sends headers without end', (socket) => endlessly(socket, 'x: y\r\n', 20), slow],
])('a proxy that %s is given up in time, and never gets the token', async (_, behave, message) => {
  let heard = '';
  const port = await raw((socket, asked) => {
    heard += asked;
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    behave(socket);
  });
  expect(await proxied(port, message === slow ? patienceMs : longMs)).toMatch(message);
  expect(heard).toMatch(/^CONNECT llm\.example\.com:443 HTTP/);
  expect(heard).not.toContain('secret-token');
});

test('the connection to a proxy that never answers ends with its request', async () => {
  let closed = 0;
  const request = new AbortController();
  const port = await raw((socket) => {
    socket.on('close', () => closed++);
    request.abort();
  });
  expect(await proxied(port, longMs, request.signal)).toMatch(/aborted/);
  await expect.poll(() => closed).toBe(1);
});

test('an IPv6 address is accepted', async () => {
  const port = await raw((socket) => socket.end(`${head}\r\n${event}data: [DONE]\n\n`), '::1');
  expect(await complete({ url: `[::1]:${port}`, credential: 'secret' })).toBe('a');
  expect(await complete({ url: `http://[::1]:${port}/v1` })).toBe('a');
});

test('a redirect while the user types gets neither the code nor the token', async () => {
  const [server, other] = [await CompletionServer.start(), await CompletionServer.start()];
  for (const status of [301, 307, 308]) {
    server.defaultAnswer = refuse(status, '', { location: other.url, 'content-type': 'text/event-stream' });
    expect(await complete({ url: server.url, credential: 'secret' })).toMatch(/redirects to/);
  }
  await sleep(20);
  expect([...other.asked, ...other.probes]).toEqual([]);
  await server.close();
  await other.close();
});
