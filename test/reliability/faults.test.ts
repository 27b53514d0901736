// Faults from outside: the server is killed, its disk is full, its home is missing, its process is stopped. They must
// not damage data or change an answer.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { random } from '../support/random.ts';
import { FrameClient } from './frame-client.ts';
import { loaded, serverCommand, starterModel, usage } from './real-server.ts';
import { patienceMs, tries } from './scale.ts';
import { SharedServer } from './shared-server.ts';

const uri = 'file:///sample.ts';
const source = readFileSync(join(import.meta.dirname, '../../language-server/engine/throughput.ts'), 'utf8');
const text = `${source}\nfor (const item of list) {\n  this.add(`;
const line = text.split('\n').length - 1;
const withDisk = { 'cache.diskMiB': 64, 'completion.confidence': 'eager' };
let storageFolder: string;
let clients: FrameClient[] = [];

beforeEach(() => {
  storageFolder = mkdtempSync(join(tmpdir(), 'hearth-faults-'));
});
afterEach(() => {
  for (const { child } of clients) child.kill('SIGKILL');
  clients = [];
  rmSync(storageFolder, { recursive: true, force: true });
});

const pages = () => readdirSync(join(storageFolder, 'pages'));

async function start(command = serverCommand, settings: object = withDisk, env = process.env): Promise<FrameClient> {
  const client = new FrameClient(command, env);
  clients.push(client);
  await client.initialize({ settings, bundledModel: starterModel, storageFolder });
  await client.open(uri, text);
  return client;
}

/** A server's answer at the end of the text. */
async function answerOf(client: FrameClient): Promise<unknown> {
  await loaded(client);
  const { result } = await client.reply(await client.ask(uri, line, 11));
  return (result as { items: unknown }).items;
}

/** Runs a server until it has written its disk cache. Resolves to its answer. */
async function wholeSession(command?: string[], settings?: object, env?: NodeJS.ProcessEnv): Promise<unknown> {
  const client = await start(command, settings, env);
  const answer = await answerOf(client);
  expect(await client.stop()).toBe(0);
  return answer;
}

const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const logged = ({ notices }: FrameClient) =>
  notices
    .filter(({ method }) => method === 'window/logMessage')
    .map(({ params }) => (params as { message: string }).message);

test('kill -9 at any moment damages nothing that the next server reads', { timeout: patienceMs }, async () => {
  const expected = await wholeSession(undefined, { 'completion.confidence': 'eager' });
  const r = random(9);
  for (let i = 0; i < tries(6, 1000); i++) {
    const client = await start();
    await loaded(client);
    for (let key = r.below(20); key > 0; key--) {
      await client.edit(uri, 2, 0, 0, 'x');
      await client.ask(uri, 3 + r.below(20), 0);
      if (r.chance(0.3)) await sleep(r.below(20));
    }
    // Half of the servers are killed while they write the pages.
    if (r.chance(0.5)) await client.post('shutdown');
    await sleep(r.below(60));
    client.child.kill('SIGKILL');
    await client.ended;
    if (i % 5 > 0) continue;
    const next = await start();
    expect(await answerOf(next), `kill ${i}`).toEqual(expected);
    expect(
      logged(next).filter((message) => /damage/.test(message)),
      `kill ${i}`,
    ).toEqual([]);
    expect(await next.stop()).toBe(0);
  }
  expect(pages().filter((name) => !name.endsWith('.pages')).length, 'files left half-written').toBeLessThan(4);
});

test('a full disk costs the saved pages and nothing else', { timeout: patienceMs }, async () => {
  const expected = await wholeSession(undefined, { 'completion.confidence': 'eager' });
  // Like a full disk: writing fails after the first 64 KiB of a file.
  const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 64; exec ${serverCommand.join(' ')}`];
  const client = await start(limited);
  expect(await answerOf(client)).toEqual(expected);
  expect(await client.stop()).toBe(0);
  expect(pages()).toEqual([]);
  expect(await wholeSession()).toEqual(expected);
  expect(pages()).toHaveLength(1);
});

test('a slow disk delays saving pages and loading them, and nothing else', {
  timeout: patienceMs,
}, async () => {
  const library = join(storageFolder, 'slow_disk.so');
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'slow_disk.c'), '-ldl']);
  const env = { ...process.env, LD_PRELOAD: library };
  const expected = await wholeSession(undefined, { 'completion.confidence': 'eager' });
  const startedAt = performance.now();
  expect(await wholeSession(undefined, undefined, env)).toEqual(expected);
  const sessionMs = performance.now() - startedAt;
  const next = await start(undefined, undefined, env);
  expect(await answerOf(next)).toEqual(expected);
  const log = logged(next).join('\n');
  const restored = Number(/restored (\d+) cache pages/.exec(log)?.[1]);
  expect(restored).toBeGreaterThan(5);
  expect(sessionMs, 'the disk was not slow').toBeGreaterThan(restored * 20);
  expect(log).not.toMatch(/damage/);
});

test.each([
  ['no HOME', { HOME: undefined, XDG_CACHE_HOME: undefined }],
  ['a missing HOME', { HOME: '/nonexistent', XDG_CACHE_HOME: undefined }],
  ['a read-only HOME', { HOME: '/proc', XDG_CACHE_HOME: '/proc', TMPDIR: '/proc' }],
])('a server with %s completes', { timeout: patienceMs }, async (_, changes) => {
  storageFolder = '/proc/hearth';
  const items = await wholeSession(undefined, withDisk, { ...process.env, ...changes });
  expect(items).toHaveLength(1);
});

test("two versions of Hearth with one disk cache ignore each other's pages and compute their own", {
  timeout: patienceMs,
}, async () => {
  const expected = await wholeSession();
  const [name = ''] = pages();
  const file = join(storageFolder, 'pages', name);
  const good = readFileSync(file);
  // Each number in the header in turn is that of another version.
  for (let at = 0; at < 48; at += 8) {
    const other = Buffer.from(good);
    other.writeUInt32LE((other.readUInt32LE(at) + 1) >>> 0, at);
    writeFileSync(file, other);
    expect(await wholeSession(), `header at ${at}`).toEqual(expected);
  }
  writeFileSync(file, good);
  const both = await Promise.all([start(), start()]);
  expect(await Promise.all(both.map(answerOf))).toEqual([expected, expected]);
  expect(await Promise.all(both.map((client) => client.stop()))).toEqual([0, 0]);
  expect(await wholeSession()).toEqual(expected);
});

test('a window reloaded in the middle of a request leaves nothing behind', {
  timeout: patienceMs,
}, async () => {
  const server = await SharedServer.start();
  const stays = await server.window();
  await stays.open(uri, text);
  await stays.answer(uri, line, 11);
  const pid = server.child.pid ?? 0;
  const reload = async () => {
    const window = await server.window();
    await window.open(uri, text);
    window.answer(uri, line, 11).catch(() => undefined);
    await sleep(2);
    window.socket.destroy();
  };
  // JavaScript's heap first grows to its size: by 60 MiB in 2,000 reloads, and then not at all in 6,000.
  for (let i = 0; i < tries(5, 1000); i++) await reload();
  await stays.answer(uri, 0, 0);
  const before = usage(pid);
  for (let i = 0; i < tries(30, 1000); i++) await reload();
  await stays.type(uri, line, 11, 'i');
  expect((await stays.answer(uri, line, 12)).reason).not.toMatch(/failed|no-model|still-loading/);
  expect(server.child.exitCode).toBe(null);
  const after = usage(pid);
  expect(after.handles).toBeLessThanOrEqual(before.handles + 2);
  expect(after.threads).toBe(before.threads);
  expect(after.rssMiB).toBeLessThan(before.rssMiB * 1.2 + 20);
  await server.stop();
  expect(server.stderr).toBe('');
});

test('a server that is stopped and continued answers the waiting requests', { timeout: patienceMs }, async () => {
  const client = await start();
  await loaded(client);
  for (let i = 0; i < tries(2, 50); i++) {
    client.child.kill('SIGSTOP');
    const id = await client.ask(uri, line, 11);
    await sleep(tries(300, 2000));
    client.child.kill('SIGCONT');
    expect(await client.reply(id)).toHaveProperty('result.reason');
  }
  expect(await client.stop()).toBe(0);
});

test("a file's name cannot begin a line of the log", async () => {
  const client = await start();
  await loaded(client);
  for (const name of ['a%0Aforged', 'a%0D%0Aforged', 'a%1B%5B31mred', 'a\u2028forged', 'a\nforged', '%E2%80%AEtxt']) {
    const odd = `file:///${name}.ts`;
    await client.open(odd, 'const a = ');
    await client.reply(await client.ask(odd, 0, 10));
    await client.notify('hearth/cursor', { uri: odd, position: { line: 0, character: 3 } });
    await client.reply(await client.ask(odd, 0, 3));
  }
  expect(logged(client).length).toBeGreaterThan(6);
  expect(logged(client).filter((message) => controls.test(message))).toEqual([]);
  expect(await client.stop()).toBe(0);
});
