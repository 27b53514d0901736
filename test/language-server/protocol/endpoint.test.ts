// How the windows of a user find their server: which files they trust, and which of several servers they find.
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Announcement, Endpoint, endpointsFor } from '../../../language-server/protocol/endpoint.ts';

let folder: string;
const listening: Server[] = [];
const name = 'name';
const home = () => join(folder, 'own', name);
const place = () => new Endpoint(join(folder, 'own'), name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-endpoint-'));
});
afterEach(() => {
  for (const server of listening.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Announces a server that listens; returns false if another one is announced. */
async function announce(endpoint = place(), id = endpoint.prepare()): Promise<boolean> {
  const server = createServer((socket) => socket.destroy()).listen(endpoint.preparedSocket(id));
  listening.push(server);
  await once(server, 'listening');
  return endpoint.announce(announcement(id));
}

function announcement(id: string): Announcement {
  return { id, pid: process.pid, startTime: '1', clientWord: 'who', serverWord: 'me', logFile: 'log' };
}

/** Makes the files that a killed server leaves behind. */
async function announceAndDie(): Promise<void> {
  const endpoint = place();
  const id = endpoint.prepare();
  const server = createServer().listen(endpoint.preparedSocket(id));
  await once(server, 'listening');
  expect(await endpoint.announce(announcement(id))).toBe(true);
  // Closing it does not delete the socket, which was moved meanwhile.
  server.close();
  await once(server, 'close');
  expect(existsSync(endpoint.socketOf(id))).toBe(true);
}

test('an announced server is found, with its whole announcement', async () => {
  expect(place().announced()).toBe(null);
  expect(await announce(place())).toBe(true);
  const found = place().announced();
  expect(found).toEqual(announcement(found?.id ?? ''));
});

test('nothing is found until the server is announced', async () => {
  const endpoint = place();
  const id = endpoint.prepare();
  listening.push(createServer().listen(endpoint.preparedSocket(id)));
  await once(listening[0] as Server, 'listening');
  expect(endpoint.announced()).toBe(null);
});

test("all files are for their owner alone, whatever the process's umask is", async () => {
  const umask = process.umask(0);
  await announce();
  process.umask(umask);
  const { id } = place().announced() as Announcement;
  const paths = [join(folder, 'own'), home(), join(home(), `${id}.json`), join(home(), `${id}.sock`)];
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600, 0o600]);
});

test('if six servers find a dead one at once, exactly one takes its place', async () => {
  for (let round = 0; round < 100; round++) {
    await announceAndDie();
    const isOurs = await Promise.all(Array.from({ length: 6 }, () => announce()));
    expect(isOurs.filter(Boolean), `round ${round}`).toHaveLength(1);
    const { id } = place().announced() as Announcement;
    expect(readdirSync(home()).sort()).toEqual([`${id}.json`, `${id}.sock`]);
    for (const server of listening.splice(0)) server.close();
    rmSync(join(folder, 'own'), { recursive: true });
  }
});

test('a running server keeps its place', async () => {
  expect(await announce()).toBe(true);
  const before = place().announced();
  expect(await announce()).toBe(false);
  expect(place().announced()).toEqual(before);
});

test('a server withdraws only its own announcement', async () => {
  const first = place();
  const id = first.prepare();
  await announce(first, id);
  first.withdraw(id);
  expect(existsSync(home())).toBe(false);
  await announce();
  first.withdraw(id);
  expect(place().announced()).not.toBe(null);
});

test('a server notices that its files were deleted', async () => {
  const endpoint = place();
  for (const file of ['json', 'sock']) {
    const id = endpoint.prepare();
    await announce(endpoint, id);
    expect(endpoint.isAnnounced(id)).toBe(true);
    rmSync(join(home(), `${id}.${file}`));
    expect(endpoint.isAnnounced(id)).toBe(false);
    endpoint.withdraw(id);
  }
});

test('files are touched now and then, because some systems delete old ones', async () => {
  const endpoint = place();
  const id = endpoint.prepare();
  await announce(endpoint, id);
  const files = [join(home(), `${id}.json`), join(home(), `${id}.sock`), home(), join(folder, 'own')];
  for (const file of files) utimesSync(file, 1000, 1000);
  expect(endpoint.isAnnounced(id)).toBe(true);
  for (const file of files) expect(lstatSync(file).mtimeMs, file).toBeGreaterThan(Date.now() - 60_000);
});

test('old files of servers that never started are deleted, and new ones are kept', async () => {
  const old = place().prepare();
  utimesSync(place().preparedFolder(old), 1000, 1000);
  writeFileSync(`${place().preparedFolder('dead')}.log`, 'crash');
  utimesSync(`${place().preparedFolder('dead')}.log`, 1000, 1000);
  const recent = place().prepare();
  await announce();
  expect(readdirSync(join(folder, 'own')).sort()).toEqual([name, `${name}.${recent}`]);
});

test('a server that comes too late does not touch the log of the running one', async () => {
  const first = place().prepare();
  const { logFile } = place().openLog(first);
  utimesSync(logFile, 1000, 1000);
  expect(await announce(place(), first)).toBe(true);
  expect(await announce()).toBe(false);
  expect(existsSync(logFile)).toBe(true);
});

test.each<[string, (id: string) => void]>([
  ['a folder that others may enter', () => chmodSync(join(folder, 'own'), 0o755)],
  ['a folder that others may write', () => chmodSync(home(), 0o770)],
  ['an announcement that others may read', (id) => chmodSync(join(home(), `${id}.json`), 0o644)],
  ['a socket that others may use', (id) => chmodSync(join(home(), `${id}.sock`), 0o666)],
  ['an announcement that is a link', (id) => linked(join(home(), `${id}.json`))],
  ['a socket that is a link', (id) => linked(join(home(), `${id}.sock`))],
  ['a folder that is a link', () => linked(home())],
  ['an outer folder that is a link', () => linked(join(folder, 'own'))],
  ['a truncated announcement', (id) => writeFileSync(join(home(), `${id}.json`), '{"pid": 1')],
  ['an announcement with the wrong content', (id) => writeFileSync(join(home(), `${id}.json`), '{"pid": "all"}')],
  ['files of another user', () => vi.spyOn(process, 'getuid').mockReturnValue(54_321)],
])('a server is not trusted with %s', async (_, spoil) => {
  await announce();
  const { id } = place().announced() as Announcement;
  spoil(id);
  expect(place().announced()).toBe(null);
});

/** Moves a file or folder away and puts a link to it in its place. */
function linked(path: string): void {
  renameSync(path, `${path}-elsewhere`);
  symlinkSync(`${path}-elsewhere`, path);
}

test("if others may enter the user's own folder, it is closed to them", () => {
  mkdirSync(join(folder, 'own'));
  chmodSync(join(folder, 'own'), 0o755);
  place().prepare();
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700);
});

test.each<[string, () => void]>([
  ['a file', () => writeFileSync(join(folder, 'own'), '')],
  ['a link', () => symlinkSync(tmpdir(), join(folder, 'own'))],
  ["another user's folder", () => vi.spyOn(process, 'getuid').mockReturnValue(54_321)],
])('no server starts at %s', (_, put) => {
  put();
  expect(() => place().prepare()).toThrow();
});

function temporary(): string {
  const path = join(folder, 't');
  mkdirSync(path, { recursive: true });
  return path;
}

test('the runtime folder comes first, then the temporary folder, then the storage folder', () => {
  vi.stubEnv('XDG_RUNTIME_DIR', folder);
  vi.stubEnv('TMPDIR', temporary());
  const folders = endpointsFor('/storage', '1').map(({ longestPath }) => longestPath.replace(/\/hearth-\d+\/.*/, ''));
  expect(folders).toEqual([folder, temporary(), '/storage']);
});

test.each<[string, () => void]>([
  ['missing', () => vi.stubEnv('XDG_RUNTIME_DIR', undefined)],
  ['empty', () => vi.stubEnv('XDG_RUNTIME_DIR', '')],
  ['missing', () => vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'none'))],
  ["another user's", () => vi.spyOn(process, 'getuid').mockReturnValue(54_321)],
  ['too long for a socket', () => vi.stubEnv('XDG_RUNTIME_DIR', longFolder())],
])('a runtime folder that is %s is not used', (_, make) => {
  vi.stubEnv('TMPDIR', temporary());
  vi.stubEnv('XDG_RUNTIME_DIR', folder);
  make();
  const folders = endpointsFor('/storage', '1').map(({ longestPath }) => longestPath.replace(/\/hearth-\d+\/.*/, ''));
  expect(folders).toEqual([temporary(), '/storage']);
});

function longFolder(): string {
  const path = join(folder, 'x'.repeat(100));
  mkdirSync(path, { mode: 0o700 });
  return path;
}

test('windows with different versions or storage folders use different servers', () => {
  const paths = [endpointsFor('/a', '1'), endpointsFor('/a', '2'), endpointsFor('/b', '1'), endpointsFor('/a', '1')];
  const names = paths.map(([first]) => first?.longestPath.split('/').at(-2)?.split('.')[0]);
  expect(names[0]).toBe(names[3]);
  expect(new Set(names).size).toBe(3);
});
